// Exact scores of the moves of a position, requested on demand and shown until the position changes.

import { ask } from "./lab.js";
import { SIDES } from "./board.js";
import { formatMove } from "./rules.js";

const PAUSE = 5000; // milliseconds before a failed question is repeated

export class Hints {
  #question = null;
  #asked = null;
  #again = null;
  known = null;
  failure = null; // the reason why there are no hints

  constructor(onChange) {
    this.onChange = onChange;
  }

  // Requests hints for a position unless it is the current one; null requests nothing.
  about(position) {
    const wanted = position && !position.isOver ? `${position.spec.text} ${position.moves}` : null;
    if (wanted === this.#asked) return;
    this.#question?.cancel();
    clearTimeout(this.#again);
    this.#asked = wanted;
    this.known = null;
    this.failure = null;
    if (wanted) this.#ask(position, wanted);
  }

  #ask(position, wanted) {
    const take = (data) => {
      if (this.#asked !== wanted) return;
      this.known = data;
      this.failure = null;
      this.onChange();
    };
    this.#question = ask({ type: "hint", board: position.spec.text, moves: position.moves }, take);
    this.#question.answer.then(take, (error) => {
      if (this.#asked !== wanted) return;
      this.failure = error.message;
      this.#again = setTimeout(() => this.#ask(position, wanted), PAUSE);
      this.onChange();
    });
  }

  end() {
    this.about(null);
  }
}

// The hints as a sentence.
export function hintSentence(hints, position, failure = null) {
  if (failure) return `No hints for now: ${failure}`;
  if (!hints) return "Solving …";
  const side = SIDES[position.side];
  const best = hints.best.map((action) => formatMove(action, position.spec)).join(", ");
  if (!hints.exact) return `Too hard to solve here: an estimate by ${side}’s chances, best ${best}.`;
  if (hints.score === null) return "Solving …";
  if (hints.score === 0) return `A draw with best play; ${best} keeps it.`;
  const plies = `${hints.plies} ${hints.plies === 1 ? "move" : "moves"}`;
  return hints.score > 0 ? `${side} wins in ${plies} with ${best}.` : `${side} loses in ${plies} at best, with ${best}.`;
}
