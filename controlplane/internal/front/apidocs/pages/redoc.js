"use strict";
(() => {
  const dark = document.documentElement.classList.contains("dark-mode");
  const ink = dark ? "#eceae4" : "#1f2328";
  const soft = dark ? "#b4b7b8" : "#555b63";
  const accent = dark ? "#6cc3cd" : "#155e68";
  const line = dark ? "#353a40" : "#dedcd6";
  const paper = dark ? "#16191d" : "#faf9f6";
  const surface = dark ? "#1c2025" : "#ffffff";
  const theme = {
    colors: {
      primary: { main: accent },
      success: { main: dark ? "#7fd49a" : "#2d6b3f" },
      error: { main: dark ? "#f0938a" : "#a8261f" },
      text: { primary: ink, secondary: soft },
      border: { dark: line, light: line },
      responses: {
        success: { color: dark ? "#7fd49a" : "#22602f", backgroundColor: dark ? "#1d3325" : "#e9f5ec" },
        error: { color: dark ? "#f0938a" : "#9c211b", backgroundColor: dark ? "#3a2020" : "#fbeceb" },
        redirect: { color: dark ? "#e8c475" : "#6f4a00", backgroundColor: dark ? "#352c18" : "#f9f1de" },
        info: { color: dark ? "#9db8f5" : "#2b4c99", backgroundColor: dark ? "#1f2940" : "#eaf0fc" },
      },
      http: {
        get: "#2b5d95", post: "#2d6b3f", put: "#7a5200", patch: "#7a5200", delete: "#a8261f", head: "#6b3fa0", options: "#555b63", basic: "#555b63", link: "#155e68",
      },
    },
    schema: { nestedBackground: dark ? "#14171a" : "#f4f2ee", linesColor: line, typeNameColor: soft, typeTitleColor: soft, requireLabelColor: dark ? "#f0938a" : "#a8261f" },
    sidebar: { backgroundColor: paper, textColor: ink, activeTextColor: accent },
    rightPanel: { backgroundColor: "#20262c", textColor: "#f2f1ee" },
    codeBlock: { backgroundColor: "#14181c" },
    typography: {
      fontSize: "14px", lineHeight: "1.5",
      fontFamily: '"Inter", system-ui, sans-serif',
      headings: { fontFamily: '"Inter", system-ui, sans-serif', fontWeight: "620" },
      code: { fontFamily: '"Mono", ui-monospace, monospace', fontSize: "12.5px", color: dark ? "#f0b48a" : "#8a3b12", backgroundColor: dark ? "#262b31" : "#f0eee9" },
      links: { color: accent, visited: accent, hover: accent },
    },
    fab: { backgroundColor: surface, color: ink },
  };
  void grantwright.open(
    (description) =>
      new Promise((shown, failed) => {
        Redoc.init(
          description,
          { nativeScrollbars: true, requiredPropsFirst: true, scrollYOffset: ".bar", nonce: document.getElementById("styles").nonce, hideDownloadButton: true, theme },
          document.getElementById("viewer"),
          (e) => (e ? failed(e) : shown()),
        );
      }),
  );
})();
