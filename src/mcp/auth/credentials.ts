import * as z from 'zod'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { hashValue } from '../config/hash-value.js'

/** The OAuth client, discovery data and tokens for one server. */
export type Credentials = z.output<ReturnType<typeof createSchema>>
export type Tokens = NonNullable<Credentials['tokens']>

let schema: ReturnType<typeof createSchema> | undefined

/** The credentials for one URL, in a file that only the owner can read. */
export class CredentialFile {
  readonly #name: string

  constructor(
    private readonly files: PrivateFiles,
    url: string,
  ) {
    this.#name = `credentials-${hashValue(url).slice(0, 24)}.json`
  }

  async read(): Promise<Credentials | undefined> {
    return parse(await this.files.read(this.#name))
  }

  /** Changes the file under a lock, because using a refresh token twice may invalidate all tokens. */
  change(
    edit: (storedCredentials: Credentials | undefined) => Promise<Credentials | undefined> | Credentials | undefined,
  ) {
    return this.files.change(this.#name, async (text) => {
      const storedCredentials = parse(text)
      const changedCredentials = await edit(storedCredentials)
      if (changedCredentials === storedCredentials) return text
      return changedCredentials === undefined ? undefined : `${JSON.stringify(changedCredentials)}\n`
    })
  }
}

/** Parses a credential file. An invalid file counts as missing, so the user signs in again. */
function parse(text: string | undefined): Credentials | undefined {
  if (text === undefined) return undefined
  schema ??= createSchema()
  try {
    return schema.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function createSchema() {
  return z.object({
    url: z.string(),
    client: z.looseObject({
      client_id: z.string(),
      client_secret: z.string().optional(),
      redirect_uris: z.array(z.string()).optional(),
      issuer: z.string().optional(),
    }),
    /** The authorisation server that was found at sign-in. It also renews tokens. */
    discovery: z.looseObject({ authorizationServerUrl: z.string() }),
    resource: z.string().optional(),
    tokens: z
      .looseObject({
        access_token: z.string(),
        token_type: z.string(),
        refresh_token: z.string().optional(),
        scope: z.string().optional(),
        /** When the access token expires, in milliseconds since 1970. Omitted if unknown. */
        expiresAt: z.number().optional(),
      })
      .optional(),
  })
}
