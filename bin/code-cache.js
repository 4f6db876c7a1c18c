'use strict'

const fs = require('node:fs')
const { homedir } = require('node:os')
const { basename, dirname, isAbsolute, join } = require('node:path')
const { Script } = require('node:vm')

/** Older entries are deleted and built again; most of them belong to a version that is no longer installed. */
const MAX_AGE_MS = 30 * 24 * 60 * 60 * 1000

/**
 * The cache is written again when a run compiled this much more bytecode than any earlier run, or this many times the
 * machine code. V8 also stores which functions were hot and optimises them sooner in the next run.
 */
const MIN_NEW_BYTECODE = 16_000
const MIN_CODE_GROWTH = 1.1

/** A run that loaded less source than this is not checked for growth: loading `node:v8` would cost more than it saves. */
const MIN_CHECKED_SOURCE = 100_000

/**
 * A run checks for growth until it finds none. After that, only this share of the runs with the same parts looks again: V8
 * walks the whole heap for the sizes, which takes 3 ms.
 */
const CHECKED_SHARE = 1 / 8

/** Opens the cache of compiled code, which halves the time of a start. */
exports.openCodeCache = function openCodeCache() {
  return new CodeCache(findCacheFolder())
}

/**
 * Keeps the code that V8 compiled from the parts. `module.enableCompileCache` of Node 22 stores only what the first run
 * compiled, so that every later run that does more compiles the rest again.
 */
class CodeCache {
  #folder
  /** Compiled scripts by the file that their code is stored in. */
  #scripts = new Map()
  #isIncomplete = false
  #sourceLength = 0

  /** @param {string | undefined} folder undefined if nothing can be stored */
  constructor(folder) {
    this.#folder = folder
    if (folder !== undefined) process.on('exit', () => this.#store())
  }

  compile(source, filename) {
    if (this.#folder === undefined) return new Script(source, { filename })
    const file = join(this.#folder, basename(filename))
    const cachedData = readChecked(file)
    const script = new Script(source, { filename, cachedData })
    this.#scripts.set(file, script)
    this.#sourceLength += source.length
    if (cachedData === undefined || script.cachedDataRejected) this.#isIncomplete = true
    return script
  }

  /** Runs at exit, because V8 stores only functions that have run. */
  #store() {
    if (!this.#isIncomplete && this.#sourceLength < MIN_CHECKED_SOURCE) return
    const sizeFile = join(this.#folder, 'sizes')
    // The stored sizes are those of an earlier version if a part was missing.
    const record = this.#isIncomplete ? [] : String(readChecked(sizeFile) ?? '').split(' ')
    const [bytecode = 0, code = 0] = record.slice(0, 2).map(Number)
    const completeParts = record.slice(2)
    const parts = Array.from(this.#scripts.keys(), (file) => basename(file))
    const newParts = parts.filter((part) => !completeParts.includes(part))
    if (newParts.length === 0 && Math.random() >= CHECKED_SHARE) return
    const now = require('node:v8').getHeapCodeStatistics()
    const hasGrown =
      now.bytecode_and_metadata_size > bytecode + MIN_NEW_BYTECODE ||
      now.code_and_metadata_size > code * MIN_CODE_GROWTH
    try {
      if (!hasGrown) {
        if (newParts.length > 0) writeChecked(sizeFile, Buffer.from([...record, ...newParts].join(' ')))
        return
      }
      removeOldEntries(this.#folder)
      removeOldEntries(dirname(this.#folder))
      for (const [file, script] of this.#scripts) writeChecked(file, script.createCachedData())
      const largest = [Math.max(now.bytecode_and_metadata_size, bytecode), Math.max(now.code_and_metadata_size, code)]
      writeChecked(sizeFile, Buffer.from(largest.join(' ')))
    } catch {
      // The next run compiles again and tries again.
    }
  }
}

/**
 * Returns the folder of the cache; undefined if there is no home folder or if other users can write to the cache, because
 * its code runs.
 */
function findCacheFolder() {
  try {
    let folder = homedir()
    if (!isAbsolute(folder)) return undefined
    for (const name of ['.haft', 'cache', 'code', `${process.version}-${process.arch}`]) {
      folder = join(folder, name)
      if (!isPrivate(statFolder(folder))) return undefined
    }
    return folder
  } catch {
    return undefined
  }
}

function statFolder(folder) {
  const folderStats = fs.statSync(folder, { throwIfNoEntry: false })
  if (folderStats !== undefined) return folderStats
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
  } catch (error) {
    // Another process may have created it in the meantime.
    if (error.code !== 'EEXIST') throw error
  }
  return fs.statSync(folder)
}

function isPrivate({ uid, mode }) {
  return process.getuid === undefined || (uid === process.getuid() && (mode & 0o022) === 0)
}

function removeOldEntries(folder) {
  for (const name of fs.readdirSync(folder)) {
    const path = join(folder, name)
    if (Date.now() - fs.statSync(path).mtimeMs > MAX_AGE_MS) fs.rmSync(path, { recursive: true, force: true })
  }
}

/**
 * Returns the data of a file; undefined if it is missing or damaged: V8 would crash on damaged code. Each file holds its data twice, because
 * comparing the copies is faster than loading zlib or crypto for a checksum.
 */
function readChecked(file) {
  try {
    const storedBytes = fs.readFileSync(file)
    const data = storedBytes.subarray(0, storedBytes.length / 2)
    return data.length > 0 && data.equals(storedBytes.subarray(data.length)) ? data : undefined
  } catch {
    return undefined
  }
}

/** Replaces the file in one step, so that no other process reads half of it. */
function writeChecked(file, data) {
  const temporaryPath = `${file}.${process.pid}.${Math.random().toString(36).slice(2)}`
  try {
    fs.writeFileSync(temporaryPath, Buffer.concat([data, data]), { mode: 0o600, flag: 'wx' })
    fs.renameSync(temporaryPath, file)
  } catch (error) {
    fs.rmSync(temporaryPath, { force: true })
    throw error
  }
}
