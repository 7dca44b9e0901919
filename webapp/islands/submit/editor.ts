import { autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap } from "@codemirror/autocomplete";
import {
  defaultKeymap,
  history,
  historyKeymap,
  indentWithTab,
  isolateHistory,
  redo,
  redoDepth,
  undo,
  undoDepth,
} from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, indentUnit, syntaxHighlighting, syntaxTree } from "@codemirror/language";
import { type Diagnostic, lintGutter, lintKeymap, setDiagnostics } from "@codemirror/lint";
import { Compartment, EditorState, type Text } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  keymap,
  lineNumbers,
} from "@codemirror/view";
import { COLOURS, LOOK } from "./look";
import { completing, hovering, type Knowledge } from "./schema";

export type Fault = { line: number; column: number; path: string; message: string; allowed: string };

const jsonIs = (text: string) => text.trimStart().startsWith("{");

/** A text editor for one job, in place of a textarea. It knows lines and colours, and nothing of forms. */
export class Editor {
  readonly #view: EditorView;
  readonly #language = new Compartment();
  #json: boolean;

  constructor(place: HTMLElement, text: string, label: string, known: Knowledge, changed: (back: boolean) => void) {
    this.#json = jsonIs(text);
    const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content;
    const extensions = [
      lineNumbers(),
      lintGutter(),
      history(),
      drawSelection(),
      indentOnInput(),
      indentUnit.of("  "),
      bracketMatching(),
      closeBrackets(),
      highlightActiveLine(),
      highlightActiveLineGutter(),
      LOOK,
      syntaxHighlighting(COLOURS),
      autocompletion({ override: [completing(known)], icons: false }),
      hovering(known),
      this.#language.of(this.#json ? json() : yaml()),
      keymap.of([
        ...closeBracketsKeymap,
        ...completionKeymap,
        ...lintKeymap,
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        "aria-labelledby": label,
        "aria-describedby": "text-keys",
        autocapitalize: "none",
        tabindex: "0",
        spellcheck: "false",
      }),
      EditorView.updateListener.of((update) => {
        if (update.docChanged) this.#speak();
        const back = update.transactions.some((one) => one.isUserEvent("undo") || one.isUserEvent("redo"));
        if (update.docChanged) changed(back);
      }),
      ...(nonce ? [EditorView.cspNonce.of(nonce)] : []),
    ];
    this.#view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: place });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  get json(): boolean {
    return this.#json;
  }

  get canUndo(): boolean {
    return undoDepth(this.#view.state) > 0;
  }

  get canRedo(): boolean {
    return redoDepth(this.#view.state) > 0;
  }

  undo(): void {
    undo(this.#view);
  }

  redo(): void {
    redo(this.#view);
  }

  /** Replaces what differs; the cursor stays where it was. Of what is typed in a field, what comes at once is undone at once. */
  write(text: string, typed = false): void {
    const old = this.text;
    if (text === old) return;
    let from = 0;
    while (from < old.length && from < text.length && old[from] === text[from]) from++;
    let end = 0;
    while (end < old.length - from && end < text.length - from && old.at(-1 - end) === text.at(-1 - end)) end++;
    this.#view.dispatch({
      changes: { from, to: old.length - end, insert: text.slice(from, text.length - end) },
      annotations: typed ? [] : isolateHistory.of("full"),
    });
  }

  mark(faults: Fault[]): void {
    const found = faults.map((fault) => diagnostic(this.#view.state, fault));
    this.#view.dispatch(setDiagnostics(this.#view.state, found));
  }

  /** Puts the cursor there, in the middle of the window. */
  go(line: number, column: number): void {
    const at = offset(this.#view.state.doc, line, column);
    this.#view.dispatch({ selection: { anchor: at }, effects: EditorView.scrollIntoView(at, { y: "center" }) });
    this.#view.focus();
  }

  remove(): void {
    this.#view.destroy();
  }

  #speak(): void {
    const now = jsonIs(this.text);
    if (now === this.#json) return;
    this.#json = now;
    this.#view.dispatch({ effects: this.#language.reconfigure(now ? json() : yaml()) });
  }
}

/** Columns count characters as people do, the editor counts halves of them. */
function offset(doc: Text, line: number, column: number): number {
  const at = doc.line(Math.min(Math.max(line, 1), doc.lines));
  const before = [...at.text].slice(0, Math.max(column - 1, 0)).join("");
  return at.from + before.length;
}

function diagnostic(state: EditorState, { line, column, message, allowed }: Fault): Diagnostic {
  const from = offset(state.doc, line, column);
  const end = state.doc.lineAt(from).to;
  const node = syntaxTree(state).resolveInner(from, 1);
  const to = Math.min(node.to > from ? node.to : end, end);
  const renderMessage = () => {
    const dom = document.createElement("div");
    const what = document.createElement("b");
    what.textContent = message;
    dom.append(what, allowed ? ` · ${allowed}` : "");
    return dom;
  };
  return {
    from,
    to: Math.max(to, from),
    severity: "error",
    message: allowed ? `${message} · ${allowed}` : message,
    renderMessage,
  };
}
