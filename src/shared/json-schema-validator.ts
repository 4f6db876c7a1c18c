import { type Context, createContext, Script } from 'node:vm'
import type { MaybePromise } from './maybe-promise.js'

type SchemaObject = Readonly<Record<string, unknown>>
type Validate = (value: unknown) => { value: unknown; issues?: undefined } | { issues: readonly SchemaIssue[] }

interface SchemaIssue {
  readonly message: string
  readonly path?: readonly string[]
}

const validators = new WeakMap<SchemaObject, MaybePromise<Validate>>()

/** Returns the validator for a JSON Schema of a tool. It is compiled on first use and cached, because compiling takes milliseconds. */
export function createJsonSchemaValidator(schema: SchemaObject): MaybePromise<Validate> {
  const cached = validators.get(schema)
  if (cached !== undefined) return cached
  const pendingValidator = compile(schema)
  validators.set(schema, pendingValidator)
  pendingValidator.then(
    (validate) => validators.set(schema, validate),
    () => validators.delete(schema),
  )
  return pendingValidator
}

async function compile(schema: SchemaObject): Promise<Validate> {
  if (isDraft7(schema)) return compileDraft7(schema)
  try {
    return await compile2020(schema)
  } catch (error) {
    // Older servers use draft-07 without declaring it. If both drafts fail, the error of 2020-12 is reported.
    if (schema.$schema !== undefined) throw error
    return compileDraft7(schema).catch(() => {
      throw error
    })
  }
}

/** Whether a schema is compiled as draft-07, as those of drafts 4 to 6 are, too. */
function isDraft7(schema: SchemaObject): boolean {
  return typeof schema.$schema === 'string' && /draft-0[4-7]/.test(schema.$schema)
}

/** Schemas come from servers, so mistakes in them are tolerated: unknown keywords and formats are ignored. */
const AJV_OPTIONS = {
  allErrors: true,
  strict: false,
  validateFormats: false,
  validateSchema: false,
  ownProperties: true,
  logger: false,
} as const

/** These limits apply because compiling a hostile schema, or checking a value with it, could take very long. */
const MAX_COMPILE_MS = 5_000
const MAX_CHECK_MS = 500
/** Only these keywords can make a check slower than linear in the value. */
const COSTLY_KEYWORDS = /"(?:pattern|patternProperties|uniqueItems|\$ref|\$dynamicRef|\$recursiveRef)"/

async function compileDraft7(schema: SchemaObject): Promise<Validate> {
  const { default: Ajv } = await import('ajv')
  return createValidate(schema, () => new Ajv.default(AJV_OPTIONS).compile(schema))
}

async function compile2020(schema: SchemaObject): Promise<Validate> {
  const { default: Ajv } = await import('ajv/dist/2020.js')
  return createValidate(schema, () => new Ajv.default(AJV_OPTIONS).compile(schema))
}

interface AjvValidate {
  (value: unknown): unknown
  errors?: readonly AjvError[] | null
}

interface AjvError {
  readonly instancePath: string
  readonly keyword: string
  readonly message?: string
  readonly params: Readonly<Record<string, unknown>>
}

function createValidate(schema: SchemaObject, compileNow: () => AjvValidate): Validate {
  const validate = runWithTimeout(MAX_COMPILE_MS, compileNow)
  const check = COSTLY_KEYWORDS.test(JSON.stringify(schema))
    ? (value: unknown) => runWithTimeout(MAX_CHECK_MS, () => validate(value))
    : validate
  return (value) => (check(value) === true ? { value } : { issues: (validate.errors ?? []).map(toIssue) })
}

function toIssue({ instancePath, keyword, message = 'is invalid', params }: AjvError): SchemaIssue {
  const path = instancePath
    .split('/')
    .slice(1)
    .map((segment) => segment.replaceAll('~1', '/').replaceAll('~0', '~'))
  switch (keyword) {
    case 'required':
      return { path: [...path, String(params.missingProperty)], message: 'is missing' }
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const name = params.additionalProperty ?? params.unevaluatedProperty
      return { path: [...path, String(name)], message: 'is not a parameter of this tool' }
    }
    case 'enum':
      return { path, message: `must be one of ${JSON.stringify(params.allowedValues)}` }
    default:
      return { path, message }
  }
}

const WORK_SCRIPT = new Script('work()')
let context: Context | undefined

/**
 * Runs synchronous work and throws if it takes too long, even in a regular expression with catastrophic backtracking.
 */
export function runWithTimeout<T>(limitMs: number, work: () => T): T {
  context ??= createContext(Object.create(null))
  const outerWork: unknown = context.work
  context.work = work
  try {
    return WORK_SCRIPT.runInContext(context, { timeout: limitMs }) as T
  } finally {
    context.work = outerWork
  }
}
