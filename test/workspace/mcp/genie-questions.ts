/** The questions that the Genie spaces understand, each answered by a query. */

export interface Question {
  /** How people ask it. */
  example: string;
  pattern: RegExp;
  sql(limit: number): string;
  /** The answer in words, from the first row. */
  say(first: string[], limit: number): string;
}

const DEFAULT_LIMIT = 5;

export const QUESTIONS: Question[] = [
  {
    example: 'How many trips were there?',
    pattern: /how many trips|number of trips|count.*trips/i,
    sql: () => 'SELECT count(*) AS trips FROM samples.nyctaxi.trips',
    say: ([trips]) => `There were ${trips} trips.`,
  },
  {
    example: 'What is the average fare?',
    pattern: /(average|mean).*fare/i,
    sql: () => 'SELECT round(avg(fare_amount), 2) AS average_fare FROM samples.nyctaxi.trips',
    say: ([fare]) => `A trip costs ${fare} dollars on average.`,
  },
  {
    example: 'Which pick-up areas are the busiest?',
    pattern: /busiest|most trips/i,
    sql: (limit) =>
      'SELECT pickup_zip, count(*) AS trips FROM samples.nyctaxi.trips ' +
      `GROUP BY pickup_zip ORDER BY trips DESC, pickup_zip LIMIT ${limit}`,
    say: ([zip, trips], limit) => `The busiest of the ${limit} pick-up areas shown is ${zip} with ${trips} trips.`,
  },
  {
    example: 'Which trips were the longest?',
    pattern: /longest|farthest/i,
    sql: (limit) =>
      'SELECT trip_distance, fare_amount, pickup_zip, dropoff_zip FROM samples.nyctaxi.trips ' +
      `ORDER BY trip_distance DESC, tpep_pickup_datetime LIMIT ${limit}`,
    say: ([miles, fare]) => `The longest trip went ${miles} miles and cost ${fare} dollars.`,
  },
  {
    example: 'How many customers are there in each region?',
    pattern: /customers.*region|region.*customers/i,
    sql: (limit) =>
      'SELECT r_name AS region, count(*) AS customers FROM samples.tpch.customer ' +
      'JOIN samples.tpch.nation ON n_nationkey = c_nationkey JOIN samples.tpch.region ON r_regionkey = n_regionkey ' +
      `GROUP BY r_name ORDER BY customers DESC, region LIMIT ${limit}`,
    say: ([region, customers]) => `Most customers are in ${region}: ${customers}.`,
  },
  {
    example: 'Which nations order the most?',
    pattern: /(nation|countr).*(order|spend|buy)|(order|spend|buy).*(nation|countr)/i,
    sql: (limit) =>
      'SELECT n_name AS nation, sum(o_totalprice) AS total FROM samples.tpch.orders ' +
      'JOIN samples.tpch.customer ON c_custkey = o_custkey JOIN samples.tpch.nation ON n_nationkey = c_nationkey ' +
      `GROUP BY n_name ORDER BY total DESC, nation LIMIT ${limit}`,
    say: ([nation, total]) => `${nation} orders the most: ${total} in all.`,
  },
  {
    example: 'What is the sum of all invoices?',
    pattern: /invoice/i,
    sql: () => 'SELECT sum(gross) AS total FROM main.finance.invoices',
    say: ([total]) => `The invoices come to ${total} in all.`,
  },
];

export interface Understood {
  question: Question;
  limit: number;
}

/** What is asked: its own question, or "only the top three" about the question before. */
export function understand(text: string, previous: Understood | undefined): Understood | undefined {
  const limit = Number(/\b(?:top|first|only)\s+(\d{1,3})\b/i.exec(text)?.[1] ?? Number.NaN);
  const hasLimit = Number.isInteger(limit) && limit > 0;
  const question = QUESTIONS.find(({ pattern }) => pattern.test(text));
  if (question) return { question, limit: hasLimit ? limit : DEFAULT_LIMIT };
  return previous && hasLimit ? { question: previous.question, limit } : undefined;
}
