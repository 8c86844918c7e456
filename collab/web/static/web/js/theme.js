/** Light or dark as the reader chose. No module: those run after the first paint, and the page would flash. */

{
  const PLACE = "earshot.theme";

  /** Storage may be shut off; then the system's choice stands. @returns {string} */
  const kept = () => {
    try {
      return localStorage.getItem(PLACE) ?? "";
    } catch {
      return "";
    }
  };

  /** @param {string} theme empty for the system's */
  const show = (theme) => {
    if (theme === "light" || theme === "dark") {
      document.documentElement.dataset.theme = theme;
    } else {
      delete document.documentElement.dataset.theme;
    }
  };

  /** @param {string} theme */
  const choose = (theme) => {
    show(theme);
    try {
      localStorage.setItem(PLACE, theme);
    } catch {
      // It holds for this page.
    }
  };

  show(kept());
  addEventListener("storage", (event) => event.key === PLACE && show(event.newValue ?? ""));
  addEventListener("DOMContentLoaded", () => {
    for (const control of document.querySelectorAll("select[data-theme-choice]")) {
      if (control instanceof HTMLSelectElement) {
        control.value = kept();
        control.hidden = false;
        control.addEventListener("change", () => choose(control.value));
      }
    }
  });
}
