import type { JsonSchema } from '../contract/json-schema.js'
import type { SchemaIssue } from '../contract/schema.js'
import type { MaybePromise } from '../shared/maybe-promise.js'
import type { SchemaCheck } from './check-schema.js'

type Validate = (value: unknown) => SchemaCheck

const compiled = new WeakMap<JsonSchema, MaybePromise<Validate>>()

/** A validator for a schema that came over a protocol, compiled once, on first use: compiling costs milliseconds. */
export function jsonSchemaValidator(schema: JsonSchema): MaybePromise<Validate> {
  const known = compiled.get(schema)
  if (known !== undefined) return known
  const making = compile(schema)
  compiled.set(schema, making)
  making.then(
    (validate) => compiled.set(schema, validate),
    () => compiled.delete(schema),
  )
  return making
}

async function compile(schema: JsonSchema): Promise<Validate> {
  const { default: Ajv } = isDraft7(schema) ? await import('ajv') : await import('ajv/dist/2020.js')
  const ajv = new Ajv.default({
    allErrors: true,
    strict: false,
    validateFormats: false,
    validateSchema: false,
    logger: false,
  })
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? { value } : { issues: (validate.errors ?? []).map(toIssue) })
}

function isDraft7(schema: JsonSchema): boolean {
  return typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema)
}

interface AjvError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Readonly<Record<string, unknown>>
}

function toIssue({ instancePath, keyword, message = 'is wrong', params }: AjvError): SchemaIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required') return { path: [...path, String(params.missingProperty)], message: 'is missing' }
  if (keyword === 'additionalProperties')
    return { path: [...path, String(params.additionalProperty)], message: 'is no parameter of this tool' }
  if (keyword === 'enum') return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` }
  return { path, message }
}
