/**
 * The shapes that come over the wire (contract: REST messages and socket frames).
 *
 * @typedef {{id: string, kind: string, name: string}} Author
 * @typedef {{id: string, agent: string, disposition: string, reason: string, retryable: boolean, turn: string | null, changed_at: string, step?: number}} Delivery
 * @typedef {{id: string, seq: number, session: string, author: Author, text: string, audience: string | string[], targets: string[], reply_to: string | null, answers: string | null, created_at: string, deleted_at: string | null, deliveries: Delivery[]}} Message
 * @typedef {{n: number, state: string, reason: string, retryable: boolean}} Attempt
 * @typedef {{id: string, agent: string, state: string, reason: string, retryable: boolean, input: string, attempts: Attempt[], started_at?: string, window?: string, steers?: string[]}} Turn
 * @typedef {{handle: string, name: string, kind: string, role: string, present?: boolean | null}} Member
 *
 * @typedef {{type: "message", seq: number, message: Message, html: string}} MessageFrame
 * @typedef {{type: "disposition", seq: number, message: string, delivery: Delivery, html: string}} DispositionFrame
 * @typedef {{type: "turn", seq: number, turn: Turn}} TurnFrame
 * @typedef {{type: "member", seq: number, member: Member}} MemberFrame
 * @typedef {{type: "session", seq: number, session: object}} SessionFrame
 * @typedef {{type: "ask", seq: number, ask: object}} AskFrame
 * @typedef {{type: "piece", turn: string, agent: string, input: string, attempt: number, n: number, text: string}} PieceFrame
 * @typedef {{type: "ready", seq: number}} ReadyFrame
 * @typedef {MessageFrame | DispositionFrame | TurnFrame | MemberFrame | SessionFrame | AskFrame | PieceFrame | ReadyFrame} Frame
 */
export {};
