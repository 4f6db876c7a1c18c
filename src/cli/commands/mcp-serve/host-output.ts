import { Writable } from 'node:stream'
import type { CommandHost } from '../../command-host.js'

/** Standard output as a stream that takes no more than its reader does. */
export function hostOutput(host: CommandHost): Writable {
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, done) {
      host.write(String(chunk)).then(() => done(), done)
    },
  })
}
