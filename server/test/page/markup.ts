import { HtmlValidate } from "html-validate";

/**
 * The recommended rules. Off are those about the spelling in the source, because the browser writes the documents, and
 * about inline style, which scripts set. An input without a type is one of text by the standard. The list of the palette
 * is not a `<select>`, because its entries have parts.
 */
const validator = new HtmlValidate({
  root: true,
  extends: ["html-validate:recommended"],
  rules: {
    "attribute-boolean-style": "off",
    "attribute-empty-style": "off",
    "doctype-style": "off",
    "no-implicit-input-type": "off",
    "no-inline-style": "off",
    "no-trailing-whitespace": "off",
    "prefer-native-element": ["error", { exclude: ["listbox"] }],
    "presentation-role-style": "off",
    "void-style": "off",
  },
});

/** Checks a document by the rules of HTML. Returns the faults, each with its place. */
export async function markupFaults(html: string): Promise<string[]> {
  const { results } = await validator.validateString(html);
  return results.flatMap(({ messages }) =>
    messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector})`),
  );
}
