import * as z from 'zod'
import type { PrivateFiles } from '../../contract/host/private-files.js'
import { valueHash } from '../config/value-hash.js'

/** All that one server needs to be spoken to in the person's name. */
export type Credentials = z.output<ReturnType<typeof makeSchema>>
export type Tokens = NonNullable<Credentials['tokens']>

let made: ReturnType<typeof makeSchema> | undefined

/** The credentials for one address, in a file that only their owner can read. */
export class CredentialFile {
  readonly #name: string

  constructor(
    private readonly files: PrivateFiles,
    url: string,
  ) {
    this.#name = `credentials-${valueHash(url).slice(0, 24)}.json`
  }

  async read(): Promise<Credentials | undefined> {
    return parse(await this.files.read(this.#name))
  }

  /** Changes them while no other process does: a refresh token that is used twice may cost all of them. */
  change(edit: (stored: Credentials | undefined) => Promise<Credentials | undefined> | Credentials | undefined) {
    return this.files.change(this.#name, async (text) => {
      const stored = parse(text)
      const changed = await edit(stored)
      if (changed === stored) return text
      return changed === undefined ? undefined : `${JSON.stringify(changed)}\n`
    })
  }
}

/** What cannot be read is worth nothing: the person signs in again. */
function parse(text: string | undefined): Credentials | undefined {
  if (text === undefined) return undefined
  made ??= makeSchema()
  try {
    return made.parse(JSON.parse(text))
  } catch {
    return undefined
  }
}

function makeSchema() {
  return z.object({
    url: z.string(),
    client: z.looseObject({
      client_id: z.string(),
      client_secret: z.string().optional(),
      redirect_uris: z.array(z.string()).optional(),
      issuer: z.string().optional(),
    }),
    /** Where tokens are renewed, as it was found when the person signed in. */
    discovery: z.looseObject({ authorizationServerUrl: z.string() }),
    resource: z.string().optional(),
    tokens: z
      .looseObject({
        access_token: z.string(),
        token_type: z.string(),
        refresh_token: z.string().optional(),
        scope: z.string().optional(),
        /** When the access token ends, in milliseconds since 1970; left out where nobody said. */
        expiresAt: z.number().optional(),
      })
      .optional(),
  })
}
