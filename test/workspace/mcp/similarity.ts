/** How alike texts are: cosine of their words' weights, rare words weighing more (TF-IDF). */

export interface Ranked<T> {
  item: T;
  /** 0 where no word is shared, 1 for the same words. */
  score: number;
}

type Weights = Map<string, number>;

/** All items, the most alike first; equals stay in their order. */
export function rank<T>(items: T[], textOf: (item: T) => string, query: string): Ranked<T>[] {
  const documents = items.map((item) => wordsOf(textOf(item)));
  const rarity = rarityOf(documents);
  const wanted = weigh(wordsOf(query), rarity);
  return items
    .map((item, index) => ({ item, score: cosine(wanted, weigh(documents[index] ?? [], rarity)) }))
    .sort((a, b) => b.score - a.score);
}

const STOP_WORDS = new Set(
  'a an and are as at be by can do does for from how i in is it its my not of on or our that the their then to until was we what when where which with you your'.split(
    ' ',
  ),
);

function wordsOf(text: string): string[] {
  const words = text.toLowerCase().match(/\p{L}+|\d+/gu) ?? [];
  return words.filter((word) => !STOP_WORDS.has(word)).map(stem);
}

/** Enough for plurals and the like: "charging", "charges" and "charge" meet. */
function stem(word: string): string {
  return word.length > 4 ? word.replace(/(ing|ed|es|s|e)$/, '') : word;
}

function rarityOf(documents: string[][]): Weights {
  const counts: Weights = new Map();
  for (const words of documents) {
    for (const word of new Set(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  }
  return new Map([...counts].map(([word, count]) => [word, Math.log((1 + documents.length) / (1 + count)) + 1]));
}

function weigh(words: string[], rarity: Weights): Weights {
  const weights: Weights = new Map();
  // A word of the query that no document has says nothing about any of them.
  for (const word of words) weights.set(word, (weights.get(word) ?? 0) + (rarity.get(word) ?? 0));
  return weights;
}

function cosine(a: Weights, b: Weights): number {
  let product = 0;
  for (const [word, weight] of a) product += weight * (b.get(word) ?? 0);
  const lengths = lengthOf(a) * lengthOf(b);
  return lengths === 0 ? 0 : product / lengths;
}

function lengthOf(weights: Weights): number {
  return Math.hypot(...weights.values());
}
