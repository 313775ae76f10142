import type { ReactNode } from "react";
import { type Insert, rich } from "../format";

// blocks.tsx
export const exampleLang = (lang: Insert) => `Example, ${lang}`;
export const example = "Example";
export const linkToPlain = (plain: Insert) => `Link to ${plain}`;
export const tableHead = (head: Insert) => `Table: ${head}`;
export const tableRows = (rows: Insert) => `Table: ${rows}`;

// contents.tsx
export const documentation = "Documentation";
export const documentationForThisVersion = "Documentation for this version.";
export const titlesAndHeadings = "titles and headings";
export const apiReference = "API reference";
export const generatedFromTheOpenapiDescriptionOf = "Generated from the OpenAPI description of this service.";
export const tryItInTheBrowser = "Try it in the browser";
export const readIt = "Read it";
export const noResults = "No results";
export const theSearchCoversTitlesAndHeadings = "The search covers titles and headings. Try a single word.";
export const searchResults = "Search results";

// groups.ts
export const everydayTasks = "Everyday tasks";
export const requestAccessMakeDecisionsAndSee = "Request access, make decisions, and see who has which access and why.";
export const governance = "Governance";
export const policiesRolesApprovalsAndProvisioning = "Policies, roles, approvals and provisioning.";
export const connectingSystems = "Connecting systems";
export const connectorsMappingsAndAgents = "Connectors, mappings and agents.";
export const development = "Development";
export const forApiClientsAndContributors = "For API clients and contributors.";
export const runningTheService = "Running the service";
export const forOperatorsOfADeployment = "For operators of a deployment.";

// page.tsx
export const windowTitle = (page: Insert) => `${page} · Grantwright`;
export const pageNotFound = "Page not found";
export const tableOfContents = "table of contents";
export const openTheLink = (link: ReactNode) => rich`Open the ${link}.`;
export const onThisPage = "On this page";

// read.ts
export const thisPageCouldNotBeLoaded = "This page could not be loaded. Reload the console; a new version may have been installed.";
export const theServiceCannotBeReachedCheck = "The service cannot be reached. Check your connection and try again.";
