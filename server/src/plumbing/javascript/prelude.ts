/** Limit on a result as JSON. */
const RESULT_MAX_CHARS = 4 * 2 ** 20;

/**
 * The script that runs before all others. Its result is the evaluation function: it takes the source and the
 * input as JSON, and returns `=` with the result as JSON, or `!` with the reason for the failure. It uses
 * only saved built-ins: a library that replaces a built-in object affects only scripts that use the library.
 */
export const PRELUDE = `(() => {
  const { parse, stringify } = JSON;
  const { defineProperty, keys } = Object;
  const evaluate = eval;
  const text = String;

  const define = (values) => {
    const names = keys(values);
    for (let index = 0; index < names.length; index += 1) {
      const value = values[names[index]];
      const how = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
      defineProperty(globalThis, names[index], how);
    }
  };

  const described = (error) => {
    try {
      if (error === null) return "null, as the interpreter does if it runs out of memory";
      return typeof error === "object" ? error.name + ": " + error.message : text(error);
    } catch {
      return "something without a name";
    }
  };

  return (source, input) => {
    try {
      define(parse(input));
      const value = evaluate('"use strict";(' + source + "\\n)");
      const result = stringify(value);
      if (result === undefined) return "!its result has the type " + typeof value + ", which JSON does not have";
      if (result.length <= ${RESULT_MAX_CHARS}) return "=" + result;
      return "!its result has " + result.length + " characters; at most ${RESULT_MAX_CHARS} are allowed";
    } catch (error) {
      return "!it threw " + described(error);
    }
  };
})()`;
