/** The words in the sample tables. */

export const REGIONS = ['AFRICA', 'AMERICA', 'ASIA', 'EUROPE', 'MIDDLE EAST'];

/** Each nation with its region. */
export const NATIONS: [string, string][] = [
  ['ALGERIA', 'AFRICA'],
  ['ARGENTINA', 'AMERICA'],
  ['BRAZIL', 'AMERICA'],
  ['CANADA', 'AMERICA'],
  ['EGYPT', 'MIDDLE EAST'],
  ['ETHIOPIA', 'AFRICA'],
  ['FRANCE', 'EUROPE'],
  ['GERMANY', 'EUROPE'],
  ['INDIA', 'ASIA'],
  ['INDONESIA', 'ASIA'],
  ['IRAN', 'MIDDLE EAST'],
  ['IRAQ', 'MIDDLE EAST'],
  ['JAPAN', 'ASIA'],
  ['JORDAN', 'MIDDLE EAST'],
  ['KENYA', 'AFRICA'],
  ['MOROCCO', 'AFRICA'],
  ['MOZAMBIQUE', 'AFRICA'],
  ['PERU', 'AMERICA'],
  ['CHINA', 'ASIA'],
  ['ROMANIA', 'EUROPE'],
  ['SAUDI ARABIA', 'MIDDLE EAST'],
  ['VIETNAM', 'ASIA'],
  ['RUSSIA', 'EUROPE'],
  ['UNITED KINGDOM', 'EUROPE'],
  ['UNITED STATES', 'AMERICA'],
];

export interface Article {
  title: string;
  body: string;
  product: string;
}

export const ARTICLES: Article[] = [
  {
    title: 'The kettle does not switch off',
    body: 'If the kettle keeps boiling, limescale on the sensor is the usual cause. Fill it with water and vinegar, boil, leave it for an hour and rinse twice.',
    product: 'kettle',
  },
  {
    title: 'Removing limescale from the kettle',
    body: 'Hard water leaves limescale on the heating plate. Descale the kettle with vinegar or citric acid every four weeks.',
    product: 'kettle',
  },
  {
    title: 'The kettle lid is stuck',
    body: 'Let the kettle cool down, then press the button on the handle while you lift the lid. Never force a hot lid open.',
    product: 'kettle',
  },
  {
    title: 'Pairing the headphones with a phone',
    body: 'Hold the power button for five seconds until the light blinks blue, then choose the headphones in the Bluetooth list of the phone.',
    product: 'headphones',
  },
  {
    title: 'The headphones lose the connection',
    body: 'Bluetooth drops out when walls or microwave ovens stand between the phone and the headphones. Move closer and update the firmware.',
    product: 'headphones',
  },
  {
    title: 'Charging the headphones',
    body: 'A full charge takes two hours with the USB cable in the box. The battery lasts for thirty hours of music.',
    product: 'headphones',
  },
  {
    title: 'Only one side of the headphones plays',
    body: 'Clean the mesh of the silent side with a dry brush and check the balance setting of the phone. If it stays silent, reset both sides.',
    product: 'headphones',
  },
  {
    title: 'Changing the bag of the vacuum cleaner',
    body: 'Open the cover, pull the full bag out by its cardboard collar and slide a new one in until it clicks. Change the bag when the red mark shows.',
    product: 'vacuum',
  },
  {
    title: 'The vacuum cleaner has little suction',
    body: 'A full bag, a blocked hose or a dusty filter take the suction away. Check them in this order and wash the filter in cold water.',
    product: 'vacuum',
  },
  {
    title: 'The vacuum cleaner smells of burning',
    body: 'Switch it off at once. Hair around the brush roller stops the motor from turning: cut it away before you switch it on again.',
    product: 'vacuum',
  },
  {
    title: 'Returning a product',
    body: 'You can return anything within thirty days. Print the return label in your account, put it on the box and hand it in at any post office.',
    product: 'orders',
  },
  {
    title: 'Where is my refund?',
    body: 'A refund reaches your bank account five working days after the returned box has arrived at our warehouse.',
    product: 'orders',
  },
  {
    title: 'Changing the delivery address',
    body: 'The address of an order can be changed until it has been packed. Open the order in your account and choose another address.',
    product: 'orders',
  },
  {
    title: 'What the warranty covers',
    body: 'The warranty covers faults of material and making for two years. It does not cover limescale, wear or broken glass.',
    product: 'orders',
  },
];

export const FAQ: [string, string][] = [
  ['How long does delivery take?', 'Parcels within the country arrive after two working days, others within a week.'],
  ['Can I pay by invoice?', 'Yes, from your second order on. The invoice is due after fourteen days.'],
  [
    'Do you repair old products?',
    'We repair everything that is younger than ten years, at a fixed price for each product.',
  ],
  [
    'How do I delete my account?',
    'Write to the support desk from the address of the account. It is deleted within a day.',
  ],
  [
    'Where are spare parts sold?',
    'Spare parts such as filters, bags and lids are sold in the shop under each product.',
  ],
  ['Is there a student discount?', 'Students pay ten percent less once they have confirmed their university address.'],
];

export const INVOICES: [string, number][] = [
  ['Cardboard boxes for parcels, spring delivery', 1840.5],
  ['Repair of the packing machine', 960],
  ['Electricity for the warehouse in March', 2210.75],
  ['Translation of the kettle manual into four languages', 1280],
  ['Fair stand and travel to the trade fair', 5340.2],
];
