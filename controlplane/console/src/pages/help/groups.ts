/** How the pages of the documentation are put together: by who needs them. */
export const groups: { title: string; lead: string; pages: string[] }[] = [
  {
    title: "Every day",
    lead: "Request, decide, and see who has which access and why.",
    pages: ["console", "requests", "catalogue", "decisions", "access", "history", "glossary"],
  },
  {
    title: "Governing",
    lead: "Policies, roles, approvals and provisioning.",
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
    lead: "Connectors, mappings and agents.",
    pages: ["onboarding", "connectors", "transforms", "administrators"],
  },
  { title: "Building on it", lead: "For your own programs, and for readers of the code.", pages: ["api", "webhooks", "agent-protocol", "journeys", "schema"] },
  { title: "Running the service", lead: "For operators of a deployment.", pages: ["operators", "backup", "scaling", "status", "dependencies"] },
];
