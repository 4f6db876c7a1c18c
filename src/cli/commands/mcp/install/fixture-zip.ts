import { crc32 } from 'node:zlib'

/** Creates a ZIP file without compression, with any names and modes, as no packer would. */
export function createZip(files: readonly { readonly name: string; readonly text: string; readonly mode?: number }[]) {
  const localParts: Buffer[] = []
  const centralParts: Buffer[] = []
  let offset = 0
  for (const { name, text, mode = 0o100644 } of files) {
    const nameBytes = Buffer.from(name)
    const data = Buffer.from(text)
    const common = Buffer.alloc(26)
    common.writeUInt16LE(20, 0)
    common.writeUInt32LE(crc32(data), 10)
    common.writeUInt32LE(data.length, 14)
    common.writeUInt32LE(data.length, 18)
    common.writeUInt16LE(nameBytes.length, 22)
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), common, nameBytes, data])
    const tail = Buffer.alloc(14)
    tail.writeUInt32LE(mode * 0x10000, 6)
    tail.writeUInt32LE(offset, 10)
    // The version that made the file: 3 in the upper byte stands for Unix.
    centralParts.push(Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), common, tail, nameBytes)
    localParts.push(local)
    offset += local.length
  }
  const central = Buffer.concat(centralParts)
  const end = Buffer.alloc(18)
  end.writeUInt16LE(files.length, 4)
  end.writeUInt16LE(files.length, 6)
  end.writeUInt32LE(central.length, 8)
  end.writeUInt32LE(offset, 12)
  return Buffer.concat([...localParts, central, Buffer.from('PK\x05\x06'), end])
}
