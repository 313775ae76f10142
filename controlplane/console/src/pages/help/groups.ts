/** How the pages of the documentation are put together: by who needs them. */
export const groups: { title: string; lead: string; pages: string[] }[] = [
  {
    title: "Every day",
    lead: "Asking, deciding, and seeing who has what and why.",
    pages: ["console", "requests", "catalogue", "decisions", "access", "history"],
  },
  {
    title: "Governing",
    lead: "Rules, and what people get without asking.",
    pages: [
      "lifecycle",
      "roles",
      "policies",
      "approvals",
      "approval-chains",
      "decision-kinds",
      "provisioning",
      "account-templates",
      "audit",
      "sector-packs",
    ],
  },
  {
    title: "Connecting systems",
    lead: "Where people, accounts and access come from.",
    pages: ["onboarding", "connectors", "transforms", "administrators"],
  },
  { title: "Building on it", lead: "For programs of your own.", pages: ["api", "webhooks", "agent-protocol"] },
  { title: "Running the service", lead: "For whoever operates it.", pages: ["operators", "backup", "scaling", "status", "dependencies"] },
];
