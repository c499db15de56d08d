/** A part of an address without its percent-encoding; the text itself if a percent sign in it encodes nothing. */
export function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
