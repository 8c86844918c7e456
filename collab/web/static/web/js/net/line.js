/**
 * A socket that comes back. It resumes after the last number seen; the server sends what was missed.
 *
 * @typedef {"connecting" | "live" | "reconnecting" | "signed_out" | "gone"} State
 * @typedef {{send(data: string): void, close(): void, onmessage: ((event: any) => void) | null, onclose: ((event: any) => void) | null}} Socket
 * @typedef {{open: () => Socket, later: (action: () => void, wait: number) => void, delay: (attempt: number) => number}} World
 */

const ENDS = /** @type {Record<number, State>} */ ({ 4401: "signed_out", 4403: "gone", 4404: "gone" });
/** Attempts that a server which says "too fast" is worth. */
const TOO_FAST = 4429;

/** Keeps a connection, tells its state and hands over what comes. */
export class Line {
  /**
   * @param {World} world
   * @param {(line: string) => void} onLine
   * @param {(state: State) => void} onState
   */
  constructor(world, onLine, onState) {
    this.world = world;
    this.onLine = onLine;
    this.onState = onState;
    this.attempt = 0;
    this.stopped = false;
    /** @type {Socket | null} */
    this.socket = null;
  }

  /** Opens the first connection. */
  start() {
    this.onState("connecting");
    this.connect();
  }

  /** The server has sent all that was missed. */
  settled() {
    this.attempt = 0;
    this.onState("live");
  }

  /** Tries now instead of waiting longer, as when the network is back. */
  hurry() {
    if (this.socket === null && !this.stopped) {
      this.connect();
    }
  }

  /** Ends it for good. */
  stop() {
    this.stopped = true;
    this.socket?.close();
  }

  connect() {
    const socket = this.world.open();
    this.socket = socket;
    socket.onmessage = (/** @type {{data: string}} */ event) => this.onLine(event.data);
    socket.onclose = (/** @type {{code: number}} */ event) => this.closed(socket, event.code);
  }

  /**
   * @param {Socket} socket
   * @param {number} code
   */
  closed(socket, code) {
    if (socket !== this.socket) {
      return;
    }
    this.socket = null;
    const end = ENDS[code];
    if (end) {
      this.stopped = true;
      this.onState(end);
    } else if (!this.stopped) {
      this.onState("reconnecting");
      this.again(code === TOO_FAST ? this.attempt + 4 : this.attempt);
    }
  }

  /** @param {number} attempt */
  again(attempt) {
    this.attempt = attempt + 1;
    this.world.later(() => this.hurry(), this.world.delay(attempt));
  }
}
