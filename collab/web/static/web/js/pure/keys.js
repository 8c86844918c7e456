/** Names one wish to send, so that a repeat is known as a repeat. */

/**
 * A random UUID. `crypto.randomUUID` is missing on pages served over plain http from another machine.
 * @param {(bytes: Uint8Array) => Uint8Array} fill fills the bytes at random
 * @returns {string}
 */
export function clientKey(fill) {
  const bytes = fill(new Uint8Array(16));
  bytes[6] = (bytes[6] & 0x0f) | 0x40;
  bytes[8] = (bytes[8] & 0x3f) | 0x80;
  const hex = [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
