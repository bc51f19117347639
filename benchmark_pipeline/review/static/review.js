// Keyboard first. Without this script every action still works by its button.
"use strict";
const opened = Date.now();
let hidden = 0, since = document.hidden ? Date.now() : null;
document.addEventListener("visibilitychange", () => {
  if (document.hidden) since = Date.now();
  else if (since !== null) { hidden += Date.now() - since; since = null; }
});
let sent = false;
document.addEventListener("submit", event => {
  if (event.target.method !== "post") return;
  if (sent) { event.preventDefault(); return; } // a key held down decides once
  sent = true;
  for (const field of event.target.querySelectorAll(".seconds")) field.value = ((Date.now() - opened - hidden) / 1000).toFixed(1);
});
window.addEventListener("pageshow", () => { sent = false; });
for (const button of document.querySelectorAll("[data-open]"))
  button.addEventListener("click", () => {
    const dialog = document.getElementById(button.dataset.open);
    dialog.showModal();
    (dialog.querySelector("[name=reason]") || dialog).focus();
  });
for (const button of document.querySelectorAll("[data-close]")) button.addEventListener("click", () => button.closest("dialog").close());
for (const button of document.querySelectorAll("[data-reason]"))
  button.addEventListener("click", () => {
    const form = button.closest("form");
    form.elements.reason.value = button.dataset.reason;
    form.requestSubmit();
  });
document.addEventListener("keydown", event => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
  const field = event.target.closest("input, select, textarea");
  const dialog = document.querySelector("dialog[open]");
  if (dialog) {
    // Outside a filled text field a digit picks the reason, or the answer, of that number.
    const numbered = dialog.querySelectorAll("[data-reason], fieldset:first-of-type [type=radio]");
    const typing = field && field.type !== "radio" && field.type !== "checkbox" && field.value !== "";
    if (/^[1-9]$/.test(event.key) && numbered[event.key - 1] && !typing) { event.preventDefault(); numbered[event.key - 1].click(); }
    return;
  }
  if (field) {
    // With two answers Enter chooses none: it leaves the field, and a digit then answers.
    if (event.key === "Escape" || (event.key === "Enter" && field.dataset.focus)) { event.preventDefault(); field.blur(); }
    return;
  }
  if (event.target.closest("summary, a, button") && (event.key === "Enter" || event.key === " ")) return;
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const link = document.querySelector(`[data-go=${event.key === "ArrowLeft" ? "previous" : "next"}]`);
    if (link) { event.preventDefault(); link.click(); }
    return;
  }
  const start = document.querySelector("main[data-next]");
  if (event.key === "Enter" && start && start.dataset.next) { location.href = start.dataset.next; return; }
  if (!/^[a-z0-9]$/.test(event.key)) return;
  const wanted = document.querySelector(`[data-focus="${event.key}"]`);
  if (wanted) { event.preventDefault(); wanted.focus(); return; }
  const button = document.querySelector(`button[data-key="${event.key}"]`);
  if (button) { event.preventDefault(); button.click(); }
});
