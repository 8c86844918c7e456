/** Names one wish to send, so that a repeat is known as a repeat. */

/**
 * A random UUID. `crypto.randomUUID` is missing on pages served over plain http from another machine.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => unknown} fill fills the bytes at random
 * @returns {string}
 */
export function clientKey(fill) {
  const bytes = new Uint8Array(16);
  fill(bytes);
  const marked = bytes.map((byte, index) => (index === 6 ? (byte & 0x0f) | 0x40 : index === 8 ? (byte & 0x3f) | 0x80 : byte));
  const hex = [...marked].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
