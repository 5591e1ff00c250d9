import type { CliContext } from "#cli/context";
import { type Display, jsonDisplay, lineDisplay } from "#cli/run/display/display";
import { screenDisplay } from "#cli/run/display/screen-display";
import { marksFor } from "#cli/terminal/marks";

/** Returns the display for a program, for a file or pipe, or for a terminal. */
export function displayFor(cli: CliContext, asJson: boolean): Display {
  if (asJson) return jsonDisplay(cli);
  return cli.screen === undefined
    ? lineDisplay(cli)
    : screenDisplay(cli.screen, cli.clock, marksFor(cli.environment, true));
}
