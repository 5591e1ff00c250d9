/**
 * Returns whether the text is an e-mail address. Only its form can be checked: letters, digits and the usual signs, one
 * `@`, and a domain of labels. A domain without a dot is accepted, because many a laptop's administrator is
 * `admin@localhost`.
 */
export function isEmail(text: string): boolean {
  if (text.length > 254) return false;
  const at = text.lastIndexOf("@");
  const local = text.slice(0, Math.max(at, 0));
  return (
    local.length >= 1 && local.length <= 64 && local.split(".").every(isAtom) && isDomain(text.slice(at + 1))
  );
}

function isAtom(part: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+$/.test(part);
}

function isDomain(domain: string): boolean {
  return domain
    .split(".")
    .every((label) => /^[A-Za-z0-9-]{1,63}$/.test(label) && !label.startsWith("-") && !label.endsWith("-"));
}
