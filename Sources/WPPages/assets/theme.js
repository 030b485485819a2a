// Sets the stored theme before anything is painted, so that no page flashes in the other one.
try {
  const theme = localStorage.getItem("theme");
  if (theme === "dark" || theme === "light") document.documentElement.dataset.theme = theme;
} catch {
  // Storage may be off; the system's theme holds then.
}
