// The choice of types of concepts.

import { element, said } from "./dom.js";

/** Check boxes for the types of a knowledge base, all checked at first. One type alone is no choice and not shown. */
export class TypeChoice {
  constructor(fieldset, onChange = () => {}) {
    this.fieldset = fieldset;
    this.boxes = [];
    fieldset.addEventListener("change", onChange);
  }

  offer(types) {
    this.boxes = types.map((kind) => element("input", { type: "checkbox", value: kind, checked: true }));
    const labels = this.boxes.map((box) => element("label", { class: "check" }, box, " ", said("bdi", box.value)));
    this.fieldset.replaceChildren(this.fieldset.querySelector("legend"), ...labels);
    this.fieldset.hidden = types.length < 2;
  }

  /** Returns the chosen types; no type if all are chosen. */
  chosen() {
    const checked = this.boxes.filter((box) => box.checked).map((box) => box.value);
    return checked.length === this.boxes.length ? [] : checked;
  }

  /** Returns whether there are types and none is chosen. */
  isEmpty() {
    return this.boxes.length > 1 && this.boxes.every((box) => !box.checked);
  }

  /** Returns whether one of some types is chosen. What has no type is always allowed. */
  allows(types) {
    const offered = this.boxes.map((box) => box.value);
    if (!types.some((kind) => offered.includes(kind))) return true;
    return this.boxes.some((box) => box.checked && types.includes(box.value));
  }
}
