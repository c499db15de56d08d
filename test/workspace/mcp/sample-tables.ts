import { literal } from './dialect.ts';
import { ARTICLES, FAQ, INVOICES, NATIONS, REGIONS } from './sample-texts.ts';

/** The tables of the data catalog. The rows follow from arithmetic and fixed texts, so every run holds the same. */

export interface SampleTable {
  catalog: string;
  schema: string;
  table: string;
  comment: string;
  /** A query that gives the rows. */
  rows: string;
}

const ZIPS = [10001, 10003, 10011, 10019, 10036, 10065, 10110, 10282, 11101, 11215];

export const SAMPLE_TABLES: SampleTable[] = [
  {
    catalog: 'samples',
    schema: 'nyctaxi',
    table: 'trips',
    comment: 'Taxi trips in New York in the first weeks of 2016.',
    rows: `
      SELECT
        TIMESTAMP '2016-01-01 00:10:00' + to_minutes(n * 47) AS tpep_pickup_datetime,
        TIMESTAMP '2016-01-01 00:10:00' + to_minutes(n * 47 + 4 + n * 13 % 38) AS tpep_dropoff_datetime,
        round(0.6 + n * 37 % 181 / 10.0, 1)::DOUBLE AS trip_distance,
        round(3.5 + n * 37 % 181 / 4.0 + n % 5 / 2.0, 2)::DOUBLE AS fare_amount,
        [${ZIPS}][1 + (n * n + n // 7) % 10]::INTEGER AS pickup_zip,
        [${ZIPS}][1 + n * 7 % 10]::INTEGER AS dropoff_zip
      FROM range(600) AS numbers(n)`,
  },
  {
    catalog: 'samples',
    schema: 'tpch',
    table: 'region',
    comment: 'Regions of the world.',
    rows: values(
      ['r_regionkey', 'r_name'],
      REGIONS.map((name, key) => [key, name]),
    ),
  },
  {
    catalog: 'samples',
    schema: 'tpch',
    table: 'nation',
    comment: 'Nations and the regions they belong to.',
    rows: values(
      ['n_nationkey', 'n_name', 'n_regionkey'],
      NATIONS.map(([name, region], key) => [key, name, REGIONS.indexOf(region)]),
    ),
  },
  {
    catalog: 'samples',
    schema: 'tpch',
    table: 'customer',
    comment: 'Customers, each of one nation.',
    rows: `
      SELECT
        n + 1 AS c_custkey,
        format('Customer#{:09d}', n + 1) AS c_name,
        (n * 11 % 25)::INTEGER AS c_nationkey,
        round(n * 7919 % 1100000 / 100.0 - 999, 2)::DECIMAL(12, 2) AS c_acctbal,
        ['AUTOMOBILE', 'BUILDING', 'FURNITURE', 'HOUSEHOLD', 'MACHINERY'][1 + n * 3 % 5] AS c_mktsegment
      FROM range(150) AS numbers(n)`,
  },
  {
    catalog: 'samples',
    schema: 'tpch',
    table: 'orders',
    comment: 'Orders of the customers.',
    rows: `
      SELECT
        n + 1 AS o_orderkey,
        n * n % 150 + 1 AS o_custkey,
        ['O', 'F', 'P'][1 + n % 3] AS o_orderstatus,
        round(900 + n * 104729 % 45000000 / 100.0, 2)::DECIMAL(12, 2) AS o_totalprice,
        (DATE '1995-01-01' + to_days((n * 3 % 1200)::INTEGER))::DATE AS o_orderdate
      FROM range(900) AS numbers(n)`,
  },
  {
    catalog: 'main',
    schema: 'support',
    table: 'articles',
    comment: 'Articles that the support desk has written.',
    rows: values(
      ['id', 'title', 'body', 'product'],
      ARTICLES.map(({ title, body, product }, index) => [index + 1, title, body, product]),
    ),
  },
  {
    catalog: 'main',
    schema: 'support',
    table: 'faq',
    comment: 'Questions that are asked often, with their answers.',
    rows: values(
      ['id', 'question', 'answer'],
      FAQ.map(([question, answer], index) => [index + 1, question, answer]),
    ),
  },
  {
    catalog: 'main',
    schema: 'support',
    table: 'images',
    comment: 'Screenshots, with vectors that their owner computes.',
    rows: `SELECT n + 1 AS id, [sin(n), cos(n)]::FLOAT[] AS embedding FROM range(4) AS numbers(n)`,
  },
  {
    catalog: 'main',
    schema: 'finance',
    table: 'invoices',
    comment: 'Invoices received.',
    rows: values(
      ['id', 'description', 'gross'],
      INVOICES.map(([description, gross], index) => [index + 1, description, gross]),
    ),
  },
];

function values(columns: string[], rows: (string | number)[][]): string {
  const tuples = rows.map((row) => `(${row.map((value) => (typeof value === 'number' ? value : literal(value)))})`);
  return `SELECT * FROM (VALUES ${tuples}) AS fixed(${columns})`;
}
