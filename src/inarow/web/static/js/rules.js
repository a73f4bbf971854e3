// The rules of k-in-a-row, as in inarow.games. A position is the result of a list of actions.

const ALPHABET = "123456789abcdefghijklmnopqrstuvwxyz";
const NAMES = { connect4: "6x7x4", tictactoe: "3x3x3/free" };

// The spec of a board string; throws an Error if it is invalid.
export function parseBoard(text) {
  const found = /^(\d{1,3})x(\d{1,3})x(\d{1,3})(\/free)?$/.exec(NAMES[text] ?? text);
  if (!found) throw new Error(`“${text}” is not a board; write rows x columns x line, e.g. 6x7x4 or 15x15x5/free`);
  const [rows, columns, inarow] = found.slice(1, 4).map(Number);
  const gravity = !found[4];
  if (rows < 1 || columns < 1 || rows > 16 || columns > 16) throw new Error("boards have 1 to 16 rows and columns");
  if (inarow < 2 || inarow > Math.max(rows, columns)) throw new Error(`no line of ${inarow} fits on ${rows} x ${columns}`);
  return { rows, columns, inarow, gravity, text: NAMES[text] ?? text, actions: gravity ? columns : rows * columns };
}

// Whether moves are single characters; otherwise they are numbers.
export const usesLetters = (spec) => spec.actions <= ALPHABET.length;

export const formatMove = (action, spec) => (usesLetters(spec) ? ALPHABET[action] : String(action + 1));

export const formatMoves = (actions, spec) =>
  actions.map((action) => formatMove(action, spec)).join(usesLetters(spec) ? "" : ",");

// The actions of a move string, each checked; throws an Error that names the move.
export function parseMoves(text, spec) {
  const words = usesLetters(spec) ? [...text.replace(/\s/g, "")] : text.split(",").map((word) => word.trim()).filter(Boolean);
  const actions = [];
  for (const word of words) {
    const action = usesLetters(spec) ? ALPHABET.indexOf(word) : Number(word) - 1;
    if (!Number.isInteger(action) || action < 0 || action >= spec.actions) throw new Error(`move ${actions.length + 1}, “${word}”, does not exist on ${spec.text}`);
    if (!replay(spec, actions).isLegal(action)) throw new Error(`move ${actions.length + 1}, “${word}”, is not legal`);
    actions.push(action);
  }
  return actions;
}

// The name of a move: columns count from 1, cells by row and column.
export function moveName(action, spec) {
  if (spec.gravity) return `column ${action + 1}`;
  return `row ${Math.floor(action / spec.columns) + 1}, column ${(action % spec.columns) + 1}`;
}

// The position after legal actions. Cells are row * columns + column, row 0 on top: 0 empty, 1 first, 2 second.
export function replay(spec, actions) {
  const { rows, columns } = spec;
  const cells = new Uint8Array(rows * columns);
  const landing = (action) => {
    if (!spec.gravity) return cells[action] ? -1 : action;
    for (let row = rows - 1; row >= 0; row--) if (!cells[row * columns + action]) return row * columns + action;
    return -1;
  };
  const placed = actions.map((action, ply) => {
    const cell = landing(action);
    cells[cell] = 1 + (ply % 2);
    return cell;
  });
  const line = placed.length ? lineThrough(spec, cells, placed.at(-1)) : [];
  const isOver = line.length > 0 || placed.length === rows * columns;
  return {
    spec,
    actions,
    cells,
    placed,
    line,
    isOver,
    winner: line.length ? cells[placed.at(-1)] : null,
    side: 1 + (actions.length % 2),
    landing,
    isLegal: (action) => !isOver && action >= 0 && action < spec.actions && landing(action) >= 0,
    get moves() {
      return formatMoves(actions, spec);
    },
  };
}

// All cells of the lines that the stone on `cell` completes.
function lineThrough(spec, cells, cell) {
  const { rows, columns, inarow } = spec;
  const [row, column] = [Math.floor(cell / columns), cell % columns];
  const found = new Set();
  for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
    const run = [cell];
    for (const way of [1, -1]) {
      for (let step = 1; ; step++) {
        const [y, x] = [row + way * step * down, column + way * step * right];
        if (y < 0 || y >= rows || x < 0 || x >= columns || cells[y * columns + x] !== cells[cell]) break;
        run.push(y * columns + x);
      }
    }
    if (run.length >= inarow) run.forEach((each) => found.add(each));
  }
  return [...found].sort((a, b) => a - b);
}
