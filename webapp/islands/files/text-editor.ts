import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { yaml } from "@codemirror/lang-yaml";
import { bracketMatching, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { EditorState } from "@codemirror/state";
import { drawSelection, EditorView, highlightActiveLine, keymap, lineNumbers } from "@codemirror/view";
import { COLOURS, LOOK } from "../submit/look";

/** A file's text, to be changed. */
export class TextEditor {
  readonly #view: EditorView;
  #written: string;

  constructor(place: HTMLElement, text: string, name: string, save: () => void) {
    this.#written = text;
    const nonce = document.querySelector<HTMLMetaElement>("meta[name=csp-nonce]")?.content;
    const end = name.slice(name.lastIndexOf(".") + 1).toLowerCase();
    const language = end === "json" ? [json()] : end === "yaml" || end === "yml" ? [yaml()] : [];
    const extensions = [
      lineNumbers(),
      history(),
      drawSelection(),
      indentOnInput(),
      bracketMatching(),
      highlightActiveLine(),
      LOOK,
      syntaxHighlighting(COLOURS),
      ...language,
      keymap.of([
        {
          key: "Mod-s",
          run: () => {
            save();
            return true;
          },
        },
        ...historyKeymap,
        ...defaultKeymap,
        indentWithTab,
      ]),
      EditorState.lineSeparator.of(text.includes("\r\n") ? "\r\n" : "\n"),
      EditorView.contentAttributes.of({ "aria-label": name, autocapitalize: "none", spellcheck: "false" }),
      ...(nonce ? [EditorView.cspNonce.of(nonce)] : []),
    ];
    this.#view = new EditorView({ state: EditorState.create({ doc: text, extensions }), parent: place });
    this.#view.focus();
  }

  get text(): string {
    return this.#view.state.sliceDoc();
  }

  get touched(): boolean {
    return this.text !== this.#written;
  }

  written(text: string): void {
    this.#written = text;
  }

  remove(): void {
    this.#view.destroy();
  }
}
