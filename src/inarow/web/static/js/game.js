// A game in the browser, which keeps the moves; the lab only answers questions about them. So nothing is lost
// when the connection breaks or the lab restarts, and the address of the page contains the whole game.

import { formatMoves, parseBoard, parseMoves, replay } from "./rules.js";

const KEPT = "inarow.game";
export const PERSON = "human";

export class Game {
  constructor({ board = "6x7x4", moves = "", first = PERSON, second = "solver:level=3", seed } = {}) {
    this.spec = parseBoard(board);
    this.actions = parseMoves(moves, this.spec);
    this.undone = [];
    this.erased = null; // the game before a restart
    this.players = { 1: first, 2: second };
    this.seed = seed ?? Math.floor(Math.random() * 2 ** 31);
    this.resigned = null;
  }

  // From the address, else the last game of this tab, else of this browser, else a new game. Throws an Error for an invalid address.
  static restore(query) {
    const given = query.has("board") || query.has("moves") || query.has("second") ? query : new URLSearchParams(sessionStorage.getItem(KEPT) ?? localStorage.getItem(KEPT) ?? "");
    const seed = Number(given.get("seed"));
    return new Game({
      board: given.get("board") ?? undefined,
      moves: given.get("moves") ?? undefined,
      first: given.get("first") ?? undefined,
      second: given.get("second") ?? undefined,
      seed: given.get("seed") !== null && Number.isSafeInteger(seed) && seed >= 0 ? seed : undefined,
    });
  }

  get position() {
    if (this.cached?.actions !== this.actions) this.cached = replay(this.spec, this.actions);
    return this.cached;
  }

  get moves() {
    return formatMoves(this.actions, this.spec);
  }

  get isOver() {
    return this.position.isOver || this.resigned !== null;
  }

  get winner() {
    return this.resigned === null ? this.position.winner : 3 - this.resigned;
  }

  get toMove() {
    return this.players[this.position.side];
  }

  get hasPerson() {
    return this.players[1] === PERSON || this.players[2] === PERSON;
  }

  get canRedo() {
    return this.undone.length > 0 || this.erased !== null;
  }

  play(action) {
    if (this.actions.length || this.toMove === PERSON) this.erased = null; // an agent may play the first move before the user can redo
    this.actions = [...this.actions, action];
    if (this.undone.at(-1) === action) this.undone.pop();
    else this.undone = [];
  }

  // Takes back one move; against an agent, until the user is to move again.
  undo() {
    if (this.resigned !== null) {
      this.resigned = null;
      return;
    }
    do {
      if (!this.actions.length) break;
      this.undone.push(this.actions.at(-1));
      this.actions = this.actions.slice(0, -1);
    } while (this.hasPerson && this.toMove !== PERSON && this.actions.length);
  }

  // Restores undone moves, or the game before a restart.
  redo() {
    if (!this.undone.length && this.erased) {
      Object.assign(this, this.erased, { erased: null });
      return;
    }
    do {
      if (!this.undone.length) break;
      this.actions = [...this.actions, this.undone.pop()];
    } while (this.hasPerson && this.toMove !== PERSON && this.undone.length);
  }

  restart() {
    const { actions, undone, resigned, seed } = this;
    if (actions.length || undone.length) this.erased ??= { actions, undone, resigned, seed };
    this.actions = [];
    this.undone = [];
    this.resigned = null;
    this.seed = Math.floor(Math.random() * 2 ** 31);
  }

  swap() {
    this.players = { 1: this.players[2], 2: this.players[1] };
  }

  // Puts the game into the address of the page, and keeps it for the next visit.
  keep() {
    const query = new URLSearchParams({ board: this.spec.text, moves: this.moves, first: this.players[1], second: this.players[2], seed: this.seed });
    sessionStorage.setItem(KEPT, query);
    localStorage.setItem(KEPT, query);
    history.replaceState(null, "", `#/play?${query}`);
  }
}
