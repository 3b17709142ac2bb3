/** Words of Chinese and Japanese by the dictionary of ICU: those of a wrong reading are nearly all of one character. */
const WORDS = new Intl.Segmenter('ja', { granularity: 'word' });

/** Syllables that make up most of any Korean text; of all 2,350 that EUC-KR has at least one in ten. */
const COMMON_HANGUL = new Set(
  '이다는의에가을고하로한를은도지사기리어시아자서나대인그해수있들과정스라일만것으부보전게장원적성' +
    '면동제주구여상소무공연조국유신우경마오비중안생관세요내방거선명용화모개분문계행업학년때월금입' +
    '회말발할미와당단산식실물체니러간음려양재위트르드치야저등된되본심진차교결통반까더래였습합였했' +
    '없두노민또영역남북강김박최서울품료초근호번객름액법현터바파타포카크프점매판출견청약계절설명건' +
    '예송배달메편휴처담질답확완료복감불외운작집력축락표제목록순참추가변구매처테험',
);

/** Frequent words of one character, and family names, in both scripts of Chinese and in Japanese. */
const COMMON_HAN = new Set(
  '的一是不了在有我他这這为為之大来來以个個中上们們到说說国國和地也子时時道出而要于於就下得可你年生自会會那后後能对對着著事其里裡' +
    '所去行过過家用多日都与與及或等第次人元号號月名王李张張刘劉陈陳杨楊赵趙黄黃周吴吳徐孙孫胡朱高林何郭马馬罗羅梁宋郑鄭谢謝韩韓唐' +
    '冯馮董萧蕭程曹袁邓鄧许許傅沈曾彭吕呂苏蘇卢盧蒋蔣蔡田石市区區省県路街样様氏社店部',
);

/**
 * How much text in a multi-byte charset reads like Japanese, Chinese or Korean, between 0 and 1: by its characters
 * beyond ASCII. What is no such text has Han in no order, rare syllables and signs.
 */
export function eastAsianPlausibility(text: string): number {
  // Half-width katakana stand alone in old files of banks; next to Han they are mostly halves of other characters.
  const halfWidth = /\p{sc=Han}/u.test(text) ? 0.2 : 0.6;
  let sum = 0;
  let count = 0;
  // An accented letter within a Latin word takes the next as its second half and looks like one Han.
  let isBehindLetter = false;
  for (const { segment } of WORDS.segment(text)) {
    const characters = [...segment].filter((character) => character > '\u007f');
    const isWord = characters.length > 1;
    const isLetter = characters.length === 1 && isBehindLetter;
    isBehindLetter = /[a-z]$/.test(segment);
    count += characters.length;
    if (isLetter) continue;
    for (const character of characters)
      sum += /[\uff61-\uff9f]/u.test(character) ? halfWidth : weightOf(character, isWord);
  }
  return count === 0 ? 0 : Math.max(0, sum / count);
}

function weightOf(character: string, isInWord: boolean): number {
  if (/[\u3041-\u3096\u30a1-\u30fc]/u.test(character)) return 1;
  if (/\p{sc=Hangul}/u.test(character)) return COMMON_HANGUL.has(character) ? 1 : isSyllable(character) ? 0.2 : -0.5;
  if (/\p{sc=Han}/u.test(character)) return isInWord ? 1 : COMMON_HAN.has(character) ? 0.7 : 0.25;
  // Punctuation and full-width forms.
  if (/[\u3000-\u301f\u30fb\uff01-\uff5e]/u.test(character)) return 0.6;
  if (/[\p{Co}\p{Cc}\p{Cn}]/u.test(character)) return -1;
  // Letters of other scripts and drawings, which these charsets have, but their texts hardly.
  return /[\p{L}\u2500-\u257f]/u.test(character) ? -0.5 : 0.1;
}

function isSyllable(character: string): boolean {
  return character >= '\uac00' && character <= '\ud7a3';
}

const OPENING = '“„‘‚«‹¿¡–—•·§©£€¥°±…';
const CLOSING = '”“’‘»›…–—°€£¥®™²³½¼¾ºª';
const WORD = new RegExp(
  `^[${OPENING}]?[0-9]*(?<letters>\\p{L}+(?:[’–—-][0-9]*\\p{L}+)*)?[0-9]*[${CLOSING}]{0,2}$|^[^\\p{L}\\p{C}]$`,
  'u',
);
/** Blanks and the punctuation of ASCII. */
const BETWEEN = /[\s!-/:-@[-`{-~]+/u;

/**
 * How much text in a single-byte charset reads like one of an alphabet, between 0 and 1: by its words beyond ASCII.
 * What is no such text has signs between letters, capitals behind small ones, alphabets mixed and accents everywhere.
 */
export function alphabeticPlausibility(text: string): number {
  let sum = 0;
  let count = 0;
  for (const token of text.split(BETWEEN)) {
    if (!/[^\0-\u007f]/u.test(token)) continue;
    sum += weightOfWord(token);
    count += 1;
  }
  return count === 0 ? 0 : sum / count;
}

function weightOfWord(token: string): number {
  const match = WORD.exec(token);
  if (!match) return 0;
  const words = match.groups!.letters?.split(/[^\p{L}]+/u) ?? [];
  return Math.min(1, ...words.map(weightOfLetters));
}

function weightOfLetters(word: string): number {
  if (/^[\p{sc=Latin}µ]+$/u.test(word)) {
    const accented = word.replaceAll(/[a-z]/gi, '').length;
    if (accented > 1 && accented > (word.length * 2) / 3) return 0;
  } else if (!/^(?:\p{sc=Cyrillic}+|\p{sc=Greek}+|\p{sc=Hebrew}+|\p{sc=Arabic}+)$/u.test(word)) return 0;
  if (/^[б-джзк-нп-тф-ьђ-ћґ]{4,}$/iu.test(word)) return 0;
  if (/^\p{Lu}\p{Lu}+$/u.test(word)) return 0.8;
  return /^\p{Lu}?[^\p{Lu}]*$/u.test(word) ? 1 : 0;
}
