import { HighlightStyle } from "@codemirror/language";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** Meanings of the page's own theme, so that the editor follows it; here, because the editor's own styles come after the page's. */
export const LOOK = EditorView.theme({
  "&": { height: "100%", fontSize: "12.5px", borderRadius: "0 0 var(--radius) var(--radius)" },
  "&.cm-focused": { outline: "2px solid var(--accent)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "19px", overflow: "auto" },
  ".cm-content": { caretColor: "var(--text)", padding: "8px 0" },
  ".cm-line": { padding: "0 10px 0 6px" },
  ".cm-gutters": { border: "0", background: "none", color: "var(--text-faint)" },
  ".cm-activeLine": { background: "none" },
  "&.cm-focused .cm-activeLine": { background: "color-mix(in srgb, var(--accent-soft) 50%, transparent)" },
  ".cm-activeLineGutter": { background: "none" },
  "&.cm-focused .cm-activeLineGutter": { background: "none", color: "var(--accent)" },
  ".cm-cursor": { borderLeftColor: "var(--text)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--accent) 24%, transparent)",
  },
  "&.cm-focused .cm-matchingBracket, .cm-matchingBracket": { background: "var(--accent-soft)" },
  ".cm-tooltip": {
    maxWidth: "min(420px, 80vw)",
    border: "1px solid var(--line)",
    borderRadius: "var(--radius-small)",
    background: "var(--sheet)",
    color: "var(--text)",
    boxShadow: "var(--float)",
    fontFamily: "var(--sans)",
    fontSize: "13px",
    lineHeight: "18px",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--mono)", fontSize: "12px", maxHeight: "260px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "3px 10px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    background: "var(--accent)",
    color: "var(--on-accent)",
  },
  ".cm-completionDetail": { marginLeft: "10px", fontStyle: "normal", opacity: "0.75" },
  ".cm-completionMatchedText": { textDecoration: "none", fontWeight: "700" },
  ".cm-tooltip.cm-completionInfo": { padding: "8px 10px" },
  ".cm-diagnostic": { padding: "6px 10px", borderLeft: "3px solid var(--danger)" },
  ".cm-lintRange-error": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--danger) 1px",
    textUnderlineOffset: "3px",
  },
  ".cm-lintPoint-error:after": { borderBottomColor: "var(--danger)" },
  ".cm-gutter-lint": { width: "14px" },
  ".cm-lint-marker-error": {
    content: "''",
    width: "8px",
    height: "8px",
    margin: "5px 3px",
    borderRadius: "50%",
    background: "var(--danger)",
  },
});

export const COLOURS = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--accent)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--text)" },
  { tag: [tags.number, tags.bool, tags.null, tags.keyword], color: "var(--good)" },
  { tag: [tags.comment, tags.lineComment, tags.meta], color: "var(--text-faint)", fontStyle: "italic" },
  { tag: [tags.punctuation, tags.separator, tags.squareBracket, tags.brace], color: "var(--text-faint)" },
  { tag: [tags.labelName, tags.typeName, tags.attributeName], color: "var(--warning)" },
]);
