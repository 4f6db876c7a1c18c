/** Thrown when a fleet command needs a package that is not installed. */
class MissingPackageError extends Error {
  constructor(name: string, cause: unknown) {
    super(`Fleets need the package ${name}. Install it with: npm install ${name}`, { cause })
    this.name = 'MissingPackageError'
  }
}

/** Loads the client of PostgreSQL. The packages of fleets are optional, and no other command loads them. */
export async function loadPg(): Promise<Pick<typeof import('pg'), 'Pool' | 'Client'>> {
  try {
    const loaded = await import('pg')
    return loaded.default
  } catch (error) {
    throw new MissingPackageError('pg', error)
  }
}

/** Loads DBOS, the engine that runs workflows on PostgreSQL. */
export async function loadDbos(): Promise<typeof import('@dbos-inc/dbos-sdk')> {
  try {
    return await import('@dbos-inc/dbos-sdk')
  } catch (error) {
    throw new MissingPackageError('@dbos-inc/dbos-sdk', error)
  }
}
