import { Module } from '@nestjs/common';
import { ChatCreation } from './chat-creation.ts';

@Module({
  providers: [ChatCreation],
  exports: [ChatCreation],
})
export class ChatsModule {}
