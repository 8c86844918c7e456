/** One session on the page: its line to the server, and what the line brings. */

import { delay } from "../pure/backoff.js";
import { apply, applyTurn, parse, reconnect, start } from "../pure/frames.js";
import { announcement } from "../pure/words.js";
import { Line } from "../net/line.js";
import { nameOf, showSteers, showTurn, showWaiting } from "./agents.js";
import { showAsking } from "./asking.js";
import { Bring } from "./bring.js";
import { EarshotComposer } from "./composer.js";
import { showConnection } from "./connection.js";
import { Deeds } from "./deeds.js";
import { all, find, make } from "./dom.js";
import { Filter } from "./filter.js";
import { excerpt, ownNames, ownSides } from "./local.js";
import { Outbox } from "./outbox.js";
import { Panel } from "./panel.js";
import { Members } from "./members.js";
import { refresh } from "./parts.js";
import { Roving } from "./roving.js";
import { goesOn } from "./stream.js";
import { openTrail } from "./trail.js";
import { EarshotTranscript } from "./transcript.js";
import { Tray } from "./tray.js";
import { Turns } from "./turns.js";

/**
 * @import { Change, Stream } from "../pure/frames.js"
 * @import { Message, Turn } from "../pure/types.js"
 * @import { Says } from "../pure/words.js"
 * @import { State } from "../net/line.js"
 */

export class EarshotSession extends HTMLElement {
  constructor() {
    super();
    /** @type {Says | undefined} */
    this.parsed = undefined;
  }

  connectedCallback() {
    const transcript = find(this, "earshot-transcript", EarshotTranscript);
    const composer = find(this, "earshot-composer", EarshotComposer);
    if (!transcript || !composer) {
      return;
    }
    this.transcript = transcript;
    this.composer = composer;
    this.outbox = new Outbox(this, transcript, composer);
    this.deeds = new Deeds((turn) => this.state?.turns.get(turn)?.state === "running");
    this.turns = new Turns(this);
    this.tray = new Tray(this.slug);
    this.bring = new Bring(this, transcript);
    this.filter = new Filter(this, transcript);
    this.roving = new Roving(transcript);
    this.addEventListener("click", (event) => this.clicked(event));
    this.addEventListener("earshot:edit-last", () => this.deeds?.editLast());
    this.addEventListener("earshot:command", (event) => this.commanded(/** @type {CustomEvent<string>} */ (event).detail));
    this.addEventListener("toggle", openTrail, true);
    this.members = new Members(this);
    composer.addEventListener("focusin", () => this.members?.mayHaveChanged());
    this.addEventListener("earshot:rows", () => this.settle(this));
    this.settle(this);
    if (this.dataset.live !== undefined) {
      this.listen();
    }
    this.waiting();
  }

  get me() {
    return this.dataset.me ?? "";
  }

  /** @returns {Says} */
  get says() {
    return (this.parsed ??= JSON.parse(this.dataset.says ?? "{}"));
  }

  get slug() {
    return this.dataset.slug ?? "";
  }

  listen() {
    this.state = start(Number(this.dataset.seq ?? 0));
    for (const fate of all(this, ".fate")) {
      this.state.steps.set(fate.id.slice(2), Number(fate.dataset.step ?? 0));
    }
    const world = {
      open: () => this.open(),
      later: (/** @type {() => void} */ action, /** @type {number} */ wait) => void setTimeout(action, wait),
      delay: (/** @type {number} */ attempt) => delay(attempt, Math.random),
    };
    this.line = new Line(world, (line) => this.heard(line), (state) => this.connection(state));
    this.loadTurns();
    this.line.start();
    addEventListener("online", () => this.line?.hurry());
    addEventListener("pagehide", () => this.line?.stop());
    addEventListener("pageshow", (event) => event.persisted && location.reload());
  }

  open() {
    if (this.state) {
      reconnect(this.state);
    }
    return new WebSocket(this.address());
  }

  address() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    return `${scheme}://${location.host}/ws/sessions/${this.dataset.session}?after=${this.state?.cursor ?? 0}&render=html`;
  }

  /** Turns that run, or that ended without an answer, as the page found them. */
  loadTurns() {
    for (const turn of /** @type {Turn[]} */ (JSON.parse(this.dataset.turns ?? "[]"))) {
      this.state && applyTurn(this.state, turn).forEach((change) => this.apply(change));
    }
  }

  /** @param {string} line */
  heard(line) {
    const frame = parse(line);
    if (frame && this.state) {
      apply(this.state, frame).forEach((change) => this.apply(change));
    }
  }

  /** @param {Change} change */
  apply(change) {
    switch (change.do) {
      case "put":
        return this.put(change.message, change.html, change.isNew);
      case "fate":
        this.transcript?.fate(change.id, change.message, change.html);
        return this.fated(change.message);
      case "stream":
        return this.stream(change.stream);
      case "unstream":
        return this.transcript?.unstream(change.turn);
      case "turn":
        queueMicrotask(() => this.turned(change.turn));
        return undefined;
      case "member":
        return this.members?.changed();
      case "ask":
        return this.asksChanged();
      case "ready":
        this.line?.settled();
        this.tray?.changed(true);
        return this.outbox?.retry();
    }
  }

  /** @param {Message} message @param {string} html @param {boolean} isNew */
  put(message, html, isNew) {
    const known = document.getElementById(`m-${message.id}`) !== null;
    const mine = message.author.id === this.me;
    this.transcript?.put(message.id, message.seq, html, !mine && isNew);
    const article = document.getElementById(`m-${message.id}`);
    if (article) {
      this.settle(article);
    }
    if (mine) {
      this.outbox?.settle(message);
      this.checklistChanged();
    } else if (!known && !message.deleted_at && message.author.kind !== "system") {
      this.announce(announcement(message));
    }
    this.noted(message.id);
    this.waiting();
    if (message.audience !== "participants" || !isNew) {
      this.tray?.changed(mine);
    }
  }

  /** @param {string} message */
  fated(message) {
    const article = document.getElementById(`m-${message}`);
    if (article) {
      this.settle(article);
      void Panel.of(article)?.look();
    }
    this.tray?.fated(message, article);
    this.noted(message);
    this.waiting();
    if (article?.dataset.author === this.me) {
      this.checklistChanged();
    }
  }

  /** What turns have to say beside a message. @param {string} message */
  noted(message) {
    for (const turn of this.state?.turns.values() ?? []) {
      if (turn.input === message) {
        showTurn(turn, this.says);
      }
      if (turn.steers?.includes(message)) {
        showSteers(turn);
      }
    }
  }

  /** The pieces of a later attempt may be faster than the news of it. @param {Stream} stream */
  stream(stream) {
    const row = this.transcript?.stream(stream, nameOf(stream.agent));
    if (row) {
      goesOn(row, stream.attempt, this.says);
      this.turns?.offer(row, stream);
      showAsking(this.state?.turns.values() ?? []);
    }
  }

  waiting() {
    const turns = [...(this.state?.turns.values() ?? [])];
    showWaiting(turns, this.says);
    showAsking(turns);
    this.composer?.atWork(turns);
  }

  /** @param {Turn} turn */
  turned(turn) {
    showTurn(turn, this.says);
    showSteers(turn);
    this.waiting();
    for (const fate of all(this, `.fate[data-turn="${CSS.escape(turn.id)}"]`)) {
      this.settle(fate.closest(".message") ?? fate);
    }
  }

  /** @param {string} command */
  commanded(command) {
    void (command === "/new" ? this.turns?.afresh() : this.turns?.stop());
  }

  /** @param {ParentNode} root */
  settle(root) {
    ownNames(root, this.me, nameOf);
    ownSides(root, this.me);
    this.deeds?.settle(root);
    this.bring?.settle(root);
    this.roving?.settle(root);
  }

  /** One polite announcement for each complete message. @param {string} words */
  announce(words) {
    find(this, "[data-announcer]", HTMLElement)?.replaceChildren(make("p", "", words));
  }

  asksChanged() {
    clearTimeout(this.asksTimer);
    this.asksTimer = setTimeout(() => void refresh(this.slug, "asks").then(() => this.waiting()), 100);
  }

  checklistChanged() {
    clearTimeout(this.checklistTimer);
    this.checklistTimer = setTimeout(() => void refresh(this.slug, "checklist"), 200);
  }

  /** @param {State} state */
  connection(state) {
    showConnection(this, state);
  }

  /** @param {Event} event */
  clicked(event) {
    const target = event.target instanceof Element ? event.target : null;
    const reply = target?.closest("[data-reply]");
    const article = target?.closest(".message");
    if (reply && article instanceof HTMLElement) {
      event.preventDefault();
      this.reply(article);
    } else if (target && (this.deeds?.clicked(target) || this.bring?.clicked(target) || this.filter?.clicked(target))) {
      event.preventDefault();
    }
  }

  /** @param {HTMLElement} article */
  reply(article) {
    const { id = "", name = "", author = "", kind = "", audience = "", targets = "" } = article.dataset;
    const parent = { author, kind, audience, targets: targets.split(" ").filter(Boolean) };
    this.composer?.reply(id, `Replying to ${name}: ${excerpt(article)}`, parent);
  }
}
