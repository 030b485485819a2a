// Runs before the first paint, so that no other theme flashes.
try {
  document.documentElement.dataset.theme = localStorage.getItem("theme") ?? "system";
} catch {
  // Storage may be disabled.
}
