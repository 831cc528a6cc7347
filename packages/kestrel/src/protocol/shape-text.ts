/** Shapes as compact TypeScript-like text, made from their JSON Schema: what describe, help and refusals show. */

export type JsonSchema = Readonly<Record<string, unknown>>;

const PREFIX = '#/$defs/';

/** The shape with every name resolved in place: for arguments, which are small. */
export function inlineText(schema: JsonSchema): string {
  const defs = defsOf(schema);
  const refer = (name: string): string => textOf(defs[name]!, refer);
  return textOf(schema, refer);
}

/** The shape with its names kept, and a line `Name = …` for each of them in order of use. */
export function namedText(schema: JsonSchema): string {
  const defs = defsOf(schema);
  const named: string[] = [];
  const note = (name: string): string => {
    if (!named.includes(name)) named.push(name);
    return name;
  };
  const lines = [textOf(schema, note)];
  for (let i = 0; i < named.length; i++) lines.push(`${named[i]} = ${textOf(defs[named[i]!]!, note)}`);
  return lines.join('\n');
}

function defsOf(schema: JsonSchema): Record<string, JsonSchema> {
  return (schema.$defs ?? {}) as Record<string, JsonSchema>;
}

function textOf(schema: JsonSchema, refer: (name: string) => string): string {
  const { $ref, const: constant, enum: words, anyOf, oneOf, type, items, properties, additionalProperties } = schema;
  if (typeof $ref === 'string') return refer($ref.slice(PREFIX.length));
  if (constant !== undefined) return JSON.stringify(constant);
  if (Array.isArray(words)) return words.map((word) => JSON.stringify(word)).join(' | ');
  const choices = (anyOf ?? oneOf) as readonly JsonSchema[] | undefined;
  if (choices !== undefined) return choices.map((choice) => textOf(choice, refer)).join(' | ');
  if (Array.isArray(type)) return type.map((one) => textOf({ ...schema, type: one }, refer)).join(' | ');
  switch (type) {
    case 'string':
    case 'boolean':
    case 'null':
      return type;
    case 'integer':
      return 'int';
    case 'number':
      return 'number';
    case 'array': {
      const item = textOf(items as JsonSchema, refer);
      return item.includes(' | ') ? `(${item})[]` : `${item}[]`;
    }
    case 'object': {
      if (properties === undefined) {
        const of = additionalProperties as JsonSchema | undefined;
        return `Record<string, ${of === undefined ? 'unknown' : textOf(of, refer)}>`;
      }
      const required = new Set(schema.required as readonly string[] | undefined);
      const fields = Object.entries(properties as Record<string, JsonSchema>).map(
        ([name, field]) => `${name}${required.has(name) ? '' : '?'}: ${textOf(field, refer)}`,
      );
      return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`;
    }
    default:
      return 'unknown';
  }
}
