import { Module } from '@nestjs/common';
import { ChatCreation } from './chat-creation.ts';
import { ChatSignals } from './chat-signals.ts';

@Module({
  providers: [ChatCreation, ChatSignals],
  exports: [ChatCreation],
})
export class ChatsModule {}
