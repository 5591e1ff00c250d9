import { afterEach, beforeEach } from "vitest";
import type { Connection } from "#store/database/database";
import type { DialectUnderTest, StoreUnderTest } from "#store/store-suite";

/** Opens an empty database for each test of the calling group, and closes the database afterwards. */
export function storeFixture(dialect: DialectUnderTest): { readonly db: Connection } {
  let store: StoreUnderTest;
  beforeEach(async () => {
    store = await dialect.open();
  });
  afterEach(() => store.close());
  return {
    get db() {
      return store.db;
    },
  };
}
