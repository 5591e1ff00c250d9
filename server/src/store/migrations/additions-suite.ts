import type { Kysely, TableMetadata } from "kysely";

type Columns = ReadonlyMap<string, { readonly type: string; readonly isOptional: boolean }>;

/** Returns the columns of each table, as far as older servers rely on them. */
export async function columnsOf(db: Kysely<never>): Promise<ReadonlyMap<string, Columns>> {
  const tables = await db.introspection.getTables();
  return new Map(tables.map((table) => [table.name, columnsIn(table)]));
}

function columnsIn({ columns }: TableMetadata): Columns {
  return new Map(
    columns.map(({ name, dataType, isNullable, hasDefaultValue, isAutoIncrementing }) => [
      name,
      { type: dataType, isOptional: isNullable || hasDefaultValue || isAutoIncrementing },
    ]),
  );
}

/** Returns a sentence for each change that breaks older servers: a column that is gone, changed, or demanded. */
export function additionFaults(
  before: ReadonlyMap<string, Columns>,
  after: ReadonlyMap<string, Columns>,
): readonly string[] {
  return [...before].flatMap(([table, columns]) => {
    const now = after.get(table);
    if (!now) return [`the table ${table} is gone`];
    const changed = [...columns].flatMap(([name, { type, isOptional }]) => {
      const column = now.get(name);
      if (!column) return [`the column ${table}.${name} is gone`];
      if (column.type !== type) return [`the column ${table}.${name} has another type`];
      return isOptional && !column.isOptional ? [`the column ${table}.${name} is demanded now`] : [];
    });
    const demanded = [...now].filter(([name, { isOptional }]) => !columns.has(name) && !isOptional);
    return [...changed, ...demanded.map(([name]) => `the new column ${table}.${name} has no default`)];
  });
}
