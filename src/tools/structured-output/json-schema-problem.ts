import { reasonOf } from '../../shared/reason-of.js'

const MAX_ISSUES = 5

/** Returns in one line why a value from a user is not a valid JSON Schema; undefined if it is valid. */
export async function findJsonSchemaProblem(schema: unknown): Promise<string | undefined> {
  if (typeof schema !== 'object' || schema === null || Array.isArray(schema)) return 'it is not an object'
  const { $schema, ...schemaWithoutDialect } = schema as Readonly<Record<string, unknown>>
  if (typeof $schema === 'string' && /draft-0[4-7]/.test($schema)) return findProblemInDraft7(schemaWithoutDialect)
  const problem = await findProblemIn2020(schemaWithoutDialect)
  // Many schemas follow draft-07 without declaring it.
  const isValid =
    problem === undefined || ($schema === undefined && (await findProblemInDraft7(schemaWithoutDialect)) === undefined)
  return isValid ? undefined : problem
}

const VALIDATOR_OPTIONS = { strict: false, allErrors: true, validateFormats: false, logger: false } as const

async function findProblemInDraft7(schema: object): Promise<string | undefined> {
  const { default: Ajv } = await import('ajv')
  return findProblem(schema, new Ajv.default(VALIDATOR_OPTIONS))
}

async function findProblemIn2020(schema: object): Promise<string | undefined> {
  const { default: Ajv } = await import('ajv/dist/2020.js')
  return findProblem(schema, new Ajv.default(VALIDATOR_OPTIONS))
}

interface SchemaReader {
  validateSchema(schema: object): unknown
  compile(schema: object): unknown
  readonly errors?: readonly Issue[] | null | undefined
}

function findProblem(schema: object, reader: SchemaReader): string | undefined {
  try {
    if (reader.validateSchema(schema) !== true) return formatIssues(reader.errors ?? [])
    reader.compile(schema)
    return undefined
  } catch (error) {
    return reasonOf(error)
  }
}

interface Issue {
  readonly instancePath: string
  readonly message?: string
}

function formatIssues(issues: readonly Issue[]): string {
  const lines = issues.map(({ instancePath, message = 'is invalid' }) => `${instancePath || 'the root'} ${message}`)
  return [...new Set(lines)].slice(0, MAX_ISSUES).join('; ')
}
