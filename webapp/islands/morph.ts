/*
 * When a stream redraws a part of a page in place, what the reader did to it stays: what is open, what is typed, and what an
 * element of ours has made of itself. Only what the server says anew is new.
 */

type Morph = CustomEvent<{ currentElement: Element; newElement?: Element }>;
type Attribute = CustomEvent<{ attributeName: string }>;

document.addEventListener("turbo:before-morph-element", (event) => {
  const { currentElement, newElement } = (event as Morph).detail;
  if (newElement && isItsOwn(currentElement) && saysTheSame(currentElement, newElement)) event.preventDefault();
});

document.addEventListener("turbo:before-morph-attribute", (event) => {
  const { attributeName } = (event as Attribute).detail;
  const element = event.target;
  if (attributeName === "open" && element instanceof HTMLDetailsElement) event.preventDefault();
  if (attributeName === "value" && element instanceof HTMLInputElement && isTouched(element)) event.preventDefault();
});

function isItsOwn(element: Element): boolean {
  return element.localName.includes("-");
}

/** An element adds attributes of its own; those of the server count. A frame is what it shows, and spells its address out. */
function saysTheSame(current: Element, coming: Element): boolean {
  if (current.localName !== coming.localName) return false;
  if (current.localName === "turbo-frame") return current.id === coming.id && address(current) === address(coming);
  return coming
    .getAttributeNames()
    .every((name) => IGNORED.has(name) || current.getAttribute(name) === coming.getAttribute(name));
}

function address(frame: Element): string {
  return new URL(frame.getAttribute("src") ?? "", location.href).href;
}

// the time of drawing, which is another each time
const IGNORED = new Set(["now"]);

/** A password that was refused goes. */
function isTouched(input: HTMLInputElement): boolean {
  if (input.type === "password") return false;
  return input.type !== "hidden" && (input === document.activeElement || input.value !== input.defaultValue);
}
