/** The ground of each cell, darker where it is looked at more. The table in the inspector says the same in words. */

export class Shade {
  /** @type {number[]} */
  shown = [];
  key = "";

  /**
   * @param {{cells: {place: HTMLElement}[], painted: number}} paper
   * @param {number[]} shades from 0 to 1, by cell
   */
  show(paper, shades) {
    if (!shades.length && !this.shown.length) return;
    const key = `${paper.painted} ${shades.map((one) => one.toFixed(3)).join()}`;
    if (key === this.key) return;
    this.key = key;
    this.shown = shades;
    paper.cells.forEach(({ place }, cell) => {
      const shade = shades[cell] ?? 0;
      place.toggleAttribute("data-seen", shade > 0);
      if (shade > 0) place.style.setProperty("--seen", shade.toFixed(3));
      else place.style.removeProperty("--seen");
    });
  }
}
