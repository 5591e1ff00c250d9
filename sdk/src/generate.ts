import openapiTS, { astToString, type OpenAPI3 } from "openapi-typescript";

/** Returns the text of `schema.ts`, made from the API's OpenAPI document alone. */
export async function schemaSource(document: object): Promise<string> {
  const nodes = await openapiTS(document as OpenAPI3);
  return `// Made from fixtures/openapi.json by "npm test" and "npm run generate".\n\n${astToString(nodes)}`;
}
