import { describe, expect, it } from '@jest/globals';
import { encoded } from '../../../../test/support/documents/legacy-charset.ts';
import { charsetOf } from './charset.ts';
import { readSource } from './index.ts';

/** What people upload: lists of a few lines, single words and prose, in each charset in which it must be told. */
const SAMPLES: readonly (readonly [charsets: readonly string[], text: string])[] = [
  [
    ['shift_jis', 'euc-jp'],
    '顧客名,都道府県,金額\n株式会社山田商店,東京都,1000\n有限会社鈴木工業,大阪府,2500\n合同会社佐藤電機,北海道,3200\n',
  ],
  [['shift_jis', 'euc-jp'], '名前,金額\n東京,100\n'],
  [['shift_jis', 'euc-jp'], '日本語テスト'],
  [['shift_jis', 'euc-jp'], '請求書'],
  [['shift_jis', 'euc-jp'], '商品コード,商品名,単価,在庫数\r\nA-001,ボールペン(黒),120,300\r\nA-002,ノート,250,80\r\n'],
  [['shift_jis'], '口座名義,銀行,支店\nヤマダ タロウ,ミズホ,シブヤ\nスズキ ハナコ,ミツイ,シンジュク\n'],
  [['shift_jis', 'euc-jp'], '東京の本社は月曜日から金曜日まで開いています。詳しくは担当者にお問い合わせください。'],
  [['shift_jis'], '住所: 〒150-0002 東京都渋谷区渋谷2-21-1\n電話: 03-1234-5678\n担当: 髙橋'],
  [['shift_jis'], 'Customer,City,Note\nYamada Ltd,Tokyo,VIP\nSuzuki Inc,Osaka,至急 call back\nSato,Nagoya,-\n'],
  [['gb18030'], '客户名称,省份,金额\n北京科技有限公司,北京,1000\n上海贸易有限公司,上海,2500\n'],
  [['gb18030'], '姓名,金额\n张伟,100\n李娜,250\n'],
  [['gb18030'], '中文测试'],
  [['gb18030'], '我们公司的总部位于上海,周一至周五营业。如需了解更多信息,请与客户服务部门联系。谢谢您的支持!'],
  [['big5'], '客戶名稱,縣市,金額\n台灣科技股份有限公司,台北市,1000\n大同貿易有限公司,高雄市,2500\n'],
  [['big5'], '姓名,金額\n王小明,100\n陳美玲,250\n'],
  [['big5'], '我們公司的總部位於台北,週一至週五營業。如需了解更多資訊,請與客戶服務部門聯絡。謝謝您的支持!'],
  [['big5'], '中文測試資料'],
  [['euc-kr'], '고객명,지역,금액\n주식회사 한국상사,서울,1000\n유한회사 대한전자,부산,2500\n'],
  [['euc-kr'], '이름,금액\n김철수,100\n'],
  [['euc-kr'], '서울 본사는 월요일부터 금요일까지 영업합니다. 자세한 내용은 담당자에게 문의하십시오.'],
  [['euc-kr'], '한국어 시험'],
  [['windows-1252'], 'Kunde;Umsatz\nMüller;100\nJäger;250\n'],
  [['windows-1252'], 'Name;Ort\nMeier;Köln\nSchmidt;Berlin\n'],
  [['windows-1252'], 'Die Lieferung erfolgt am Dienstag nach München. Bitte prüfen.'],
  [['windows-1252'], 'Das Büro öffnet um acht, schließt jedoch früher. Größe und Höhe prüfen.'],
  [['windows-1252'], 'Artikel;Preis\nSchraube M4;0,10 €\nDübel 6 mm;0,05 €\nSägeblatt – groß;12,90 €\n'],
  [['windows-1252'], 'ÜBERSICHT ÄNDERUNGEN\nGRÖSSE\nSTRAßE\n'],
  [['windows-1252'], 'Société,Ville,Chiffre\nCafé de la Gare,Orléans,1000\nBoulangerie Léon,Besançon,2500\n'],
  [
    ['windows-1252'],
    'Le siège est ouvert du lundi au vendredi. Pour en savoir plus, contactez-nous à tout moment : nous répondrons dès que possible.',
  ],
  [['windows-1252'], 'Résumé'],
  [['windows-1252'], 'Nombre,Año,Teléfono\nPeña S.A.,2024,555-0100\nMuñoz,2023,555-0101\n'],
  [['windows-1252'], '¿Dónde está la oficina? La dirección es Calle Mayor 5. ¡Llámenos mañana!'],
  [['windows-1252'], 'Descrição,Preço,Observação\nPão,5,não há\nMaçã,3,promoção até amanhã\n'],
  [['windows-1252'], 'Namn;Stad\nÅke Öberg;Göteborg\nBjörn Ångström;Malmö\n'],
  [['windows-1252'], 'Navn;By\nSøren Kjær;Århus\nÆbleskiver;Næstved\n'],
  [['windows-1252'], 'We don’t open on Sundays – “closed” means closed. See §4 for details… © 2024'],
  [['windows-1252'], 'Temperature,25 °C\nWidth,5 mm ± 1\nPrice,£20\n'],
  [['windows-1252'], 'Opening hours:\n• Monday\n• Tuesday\n• Café\n'],
  [['windows-1252'], 'Það er gott að búa á Íslandi. Þórður og Guðrún búa í Reykjavík.'],
  [['windows-1251', 'koi8-r'], 'Клиент;Город;Сумма\nООО Ромашка;Москва;1000\nЗАО Техника;Казань;2500\n'],
  [['windows-1251', 'koi8-r'], 'Имя;Сумма\nИван;100\n'],
  [
    ['windows-1251', 'koi8-r'],
    'Наш офис в Москве открыт с понедельника по пятницу. Обращайтесь к нам за подробностями.',
  ],
  [
    ['koi8-r'],
    'Компания основана в 1998 году и занимается поставкой оборудования для пищевой промышленности. Мы работаем с клиентами по всей стране, предлагаем доставку и обслуживание.',
  ],
  [['shift_jis', 'euc-jp'], '山田太郎\n佐藤花子\n'],
  [['gb18030'], '张伟\n王芳\n李秀英\n'],
  [['big5'], '王小明\n陳美玲\n林志豪\n'],
  [['euc-kr'], '김민준\n이서연\n박지후\n'],
  [['gb18030'], '合同'],
  [['big5'], '報價單'],
  [['euc-kr'], '견적서'],
  [['shift_jis', 'euc-jp'], '受注番号\t受注日\t納期\t担当者\r\n1001\t2024/01/05\t2024/02/01\t田中\r\n'],
  [['gb18030'], '订单编号,下单日期,负责人,状态\r\n1001,2024-01-05,王经理,已发货\r\n'],
  [['big5'], '訂單編號,下單日期,負責人,狀態\r\n1001,2024-01-05,王經理,已出貨\r\n'],
  [['euc-kr'], '주문번호,주문일,담당자,상태\r\n1001,2024-01-05,김대리,배송완료\r\n'],
  [['shift_jis', 'euc-jp'], 'プリンター\nスキャナー\n'],
  [
    ['shift_jis', 'euc-jp'],
    'お世話になっております。\n株式会社ABCの田中です。\n先日の件、ご確認をお願いいたします。\n',
  ],
  [['gb18030'], '您好,\n附件是我们的报价单,请查收。\n如有问题,请随时联系我。\n'],
  [['big5'], '您好,\n附件是我們的報價單,請查收。\n如有問題,請隨時與我聯絡。\n'],
  [['euc-kr'], '안녕하세요.\n견적서를 첨부하오니 확인 부탁드립니다.\n감사합니다.\n'],
  [['gb18030'], '上海市浦东新区世纪大道100号'],
  [['big5'], '台北市信義區松仁路100號'],
  [['euc-kr'], '서울특별시 강남구 테헤란로 152'],
  [['euc-jp'], '大阪府大阪市北区梅田3-1-1'],
  [['shift_jis'], 'id,name,memo\n1,Tanaka,在庫なし\n2,Sato,ok\n'],
  [['big5'], '牛肉麵 120元\n珍珠奶茶 50元\n'],
  [['gb18030'], '宫保鸡丁 38元\n鱼香肉丝 32元\n'],
  [['shift_jis'], 'とんかつ定食 980円\n天ぷらうどん 750円\n'],
  [['euc-kr'], '비빔밥 9000원\n된장찌개 8000원\n'],
  [['shift_jis'], 'ﾔﾏﾀﾞ ﾀﾛｳ\n'],
  [['shift_jis'], 'ｶ)ﾔﾏﾀﾞｼｮｳﾃﾝ,1000\nｽｽﾞｷ ﾊﾅｺ,500\n'],
  [['windows-1252'], 'Größe'],
  [['windows-1252'], 'Übung'],
  [['windows-1252'], 'Kündigung zum 31.12.'],
  [['windows-1252'], 'Straße;Hausnummer\nHauptstraße;5\n'],
  [['windows-1252'], 'été'],
  [['windows-1252'], 'N° de commande;Désignation;Qté\n1;Crème brûlée;2\n'],
  [['windows-1252'], 'À bientôt, l’équipe « Étoile »'],
  [['windows-1252'], 'ÉTÉ À LA MER'],
  [['windows-1252'], 'œuvre d’art — 25 €'],
  [['windows-1252'], 'España'],
  [['windows-1252'], 'Información'],
  [['windows-1252'], 'Código,Descripción\n1,Piñón\n'],
  [['windows-1252'], '¡Hola!'],
  [['windows-1252'], 'Perché no? Città, università e caffè.'],
  [['windows-1252'], 'Hyvää päivää, tämä on Äänekoski.'],
  [['windows-1252'], 'Coördinatie van de zaak, één stuk'],
  [['windows-1252'], 'São João; ação'],
  [['windows-1252'], 'naïve café'],
  [['windows-1252'], '“Quote”'],
  [['windows-1252'], 'It’s ok'],
  [['windows-1252'], '€'],
  [['windows-1252'], 'Price: £5 (½ off) ©'],
  [['windows-1252'], 'Acme® Widget™ – 5µm'],
  [['windows-1252'], 'Cost,100\u00a0€\nOther,5\u00a0€\n'],
  [['windows-1252'], '2 × 3 ÷ 4, 10 µm²'],
  [['windows-1251'], 'Договор'],
  [['windows-1251'], 'ДОГОВОР ПОСТАВКИ'],
  [['windows-1251'], '№;Наименование;Цена\n1;Болт М6;10\n2;Гайка;5\n'],
  [['koi8-r'], 'Договор поставки'],
  [['koi8-r'], '1;Болт;10\n2;Гайка;5\n'],
  [['windows-1251'], 'г. Москва, ул. Ленина, д. 5 («Ромашка»)'],
  [['windows-1251'], 'Здравствуйте! Отправляем вам счёт на оплату. С уважением, Анна'],
  [['windows-1251'], 'Київ, вулиця Хрещатик. Їжа і ґанок, підприємство'],
  [
    ['windows-1250'],
    'Zamówienie zostało przyjęte. Proszę sprawdzić adres: ul. Świętokrzyska, Łódź. Dziękujemy za zakupy.',
  ],
  [['windows-1250'], 'Příliš žluťoučký kůň úpěl ďábelské ódy. Děkujeme za vaši objednávku, zboží bude doručeno.'],
  [['windows-1254'], 'Siparişiniz için teşekkür ederiz. Ürünler yarın İstanbul’dan gönderilecektir.'],
  [['iso-8859-7'], 'Η εταιρεία μας ιδρύθηκε στην Αθήνα και εξυπηρετεί πελάτες σε όλη την Ελλάδα.'],
  [['windows-1255'], 'החברה שלנו נמצאת בתל אביב ומספקת שירותים ללקוחות בכל הארץ'],
  [['windows-1256'], 'تقع شركتنا في مدينة دبي وتقدم خدماتها للعملاء في جميع أنحاء البلاد'],
];

describe('charsetOf', () => {
  const JAPANESE = '東京の本社は月曜日から金曜日まで開いています。詳しくは担当者にお問い合わせください。';
  it.each<[string, Buffer, string, boolean]>([
    ['a mark of UTF-8', Buffer.from('\ufeffhé'), 'utf-8', false],
    ['a mark of UTF-16', Buffer.from('\ufeffhé', 'utf16le'), 'utf-16le', false],
    ['UTF-16 without a mark', Buffer.from('plain words', 'utf16le'), 'utf-16le', false],
    ['UTF-16 the other way round', Buffer.from('plain words', 'utf16le').swap16(), 'utf-16be', false],
    ['UTF-8', Buffer.from('hé 東京'), 'utf-8', false],
    ['ASCII', Buffer.from('words'), 'utf-8', false],
    ['Shift_JIS', encoded(JAPANESE, 'shift_jis'), 'shift_jis', false],
    ['EUC-JP', encoded(JAPANESE, 'euc-jp'), 'euc-jp', false],
    [
      'Korean',
      encoded('서울 본사는 월요일부터 금요일까지 영업합니다. 자세한 내용은 담당자에게 문의하십시오.', 'euc-kr'),
      'euc-kr',
      false,
    ],
    [
      'Western text',
      Buffer.from('Das Büro öffnet um acht, schließt jedoch früher. Größe und Höhe prüfen.', 'latin1'),
      'windows-1252',
      true,
    ],
  ])('tells %s', (_, bytes, label, isGuessed) => expect(charsetOf(bytes)).toEqual({ label, isGuessed }));

  it('believes what a page declares, if it can be so', () => {
    expect(charsetOf(encoded('привет, мир', 'koi8-r'), 'koi8-r')).toEqual({ label: 'koi8-r', isGuessed: false });
  });

  it('finds none in what is no text', () => {
    expect(charsetOf(Buffer.from([0x89, 0x50, 0, 0, 1, 2, 3, 0xff]))).toBeUndefined();
    expect(charsetOf(Buffer.from(Array.from({ length: 1_000 }, (_, index) => (index % 255) + 1)))).toBeUndefined();
  });

  it.each(SAMPLES.flatMap(([labels, text]) => labels.map((label) => [label, text] as const)))(
    'reads %s: %j',
    (label, text) => {
      const bytes = encoded(text, label);
      // Charsets that share the characters of the text are as good.
      expect(new TextDecoder(charsetOf(bytes)?.label).decode(bytes)).toBe(text);
    },
  );

  it('tells text behind much ASCII, and a charset by one line of it', () => {
    const bytes = Buffer.concat([
      Buffer.from('id,name\n'.repeat(20_000)),
      encoded('1,株式会社山田商店\n', 'shift_jis'),
    ]);
    expect(charsetOf(bytes)?.label).toBe('shift_jis');
  });

  it('says that it guessed where statistics do not agree', async () => {
    const list = encoded('顧客名,都道府県,金額\n株式会社山田商店,東京都,1000\n', 'shift_jis');
    const { passages, warnings } = await readSource(list, 'text/csv');
    expect(warnings).toEqual(['charset_guessed']);
    expect(passages.join()).toContain('株式会社山田商店');
  });
});
