import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, test } from 'vitest'
import type { TeamInbox, TeamsPort } from '../../contract/ports/teams.js'
import { createTemporaryFolder } from '../../testing/query-fixture.js'
import { createTeams } from './create-teams.js'
import { Mailbox } from './mailbox.js'

let folder: string
let lead: TeamsPort
const opened: TeamsPort[] = []

beforeEach(async () => {
  for (const teams of opened.splice(0)) await teams.close()
  folder = join(await createTemporaryFolder(), 'teams')
  lead = open('s1')
})

function open(session: string): TeamsPort {
  const teams = createTeams({ folder, session })
  opened.push(teams)
  return teams
}

const addAlice = () => lead.addTeammate({ name: 'alice', agentId: 'alice', kind: 'general-purpose', description: '' })
const send = (text: string, to = 'alice') => lead.send({ id: text, to, text }, undefined)
const read = async (inbox: TeamInbox) => {
  const messages = inbox.receive()
  await inbox.acknowledge(messages)
  return messages.map(({ text }) => text)
}

describe('a mailbox', () => {
  test('keeps the messages of each sender in order, and numbers them', async () => {
    const alice = await addAlice()
    for (const text of ['one', 'two', 'three']) await send(text)
    expect(alice.receive().map(({ text, sequence, index }) => [text, sequence, index])).toEqual([
      ['one', 1, 1],
      ['two', 2, 2],
      ['three', 3, 3],
    ])
    expect(await read(alice)).toEqual(['one', 'two', 'three'])
    expect(alice.hasMail).toBe(false)
  })

  test('adds a message that is sent again only once, also after it was received', async () => {
    const alice = await addAlice()
    await send('one')
    await send('one')
    expect(await read(alice)).toEqual(['one'])
    await send('one')
    expect(alice.receive()).toEqual([])
  })

  test('returns messages that were not acknowledged to a later process', async () => {
    const alice = await addAlice()
    await send('one')
    await send('two')
    await alice.acknowledge(alice.receive().slice(0, 1))
    await lead.close()
    const resumed = open('s1')
    expect((await resumed.current())?.members.map(({ name, status }) => [name, status])).toEqual([
      ['team-lead', 'working'],
      ['alice', 'away'],
    ])
    const again = await resumed.addTeammate({ name: 'alice', agentId: 'alice-2', kind: '', description: '' })
    expect(again.receive().map(({ text }) => text)).toEqual(['two'])
    const third = { name: 'alice', agentId: 'alice-3', kind: '', description: '' }
    await expect(resumed.addTeammate(third)).rejects.toThrow('has a member "alice" already')
  })

  test('skips a line that a killed process left unfinished, and counts one that only lacks its end', async () => {
    const alice = await addAlice()
    await send('one')
    const file = join(folder, 'team-s1', 'alice.mail.jsonl')
    appendFileSync(file, '{"id":"torn","te')
    await send('two')
    expect(await read(alice)).toEqual(['one', 'two'])
    writeFileSync(file, readFileSync(file, 'utf8').trimEnd())
    await send('three')
    expect(await read(alice)).toEqual(['three'])
  })

  test('stays small, and still knows what it has received', async () => {
    const alice = await addAlice()
    const text = 'x'.repeat(10_000)
    for (let count = 0; count < 60; count++) {
      await lead.send({ id: `m${count}`, to: 'alice', text }, undefined)
      if (count % 10 === 9) await alice.acknowledge(alice.receive())
    }
    await lead.send({ id: 'm59', to: 'alice', text }, undefined)
    expect(statSync(join(folder, 'team-s1', 'alice.mail.jsonl')).size).toBeLessThan(400_000)
    expect(alice.receive()).toEqual([])
    await send('next')
    expect(alice.receive().map(({ index, sequence }) => [index, sequence])).toEqual([[61, 61]])
  })

  test('that is full refuses messages, but not the last text of a teammate', async () => {
    await addAlice()
    for (let count = 0; count < 3; count++) {
      const mailbox = new Mailbox(join(folder, 'team-s1', 'alice.mail.jsonl'), false)
      const mail = { team: 't', from: 'bob', to: 'alice', kind: 'message', text: '', at: 0 } as const
      expect(await mailbox.append({ id: `${count}`, ...mail }, 2)).toBe(count < 2 ? 'added' : 'full')
    }
  })

  test('of a member that left passes nothing on to the next one of this name', async () => {
    const file = join(folder, 'team-s1', 'alice.mail.jsonl')
    const earlier = await addAlice()
    for (const text of ['one', 'two', 'three']) await send(text)
    await read(earlier)
    await earlier.leave()
    // As left by a process that was killed while it removed the mailbox.
    writeFileSync(`${file}.delivered`, '3')
    const alice = await addAlice()
    await send('four')
    expect(await read(alice)).toEqual(['four'])

    await lead.delete({ stopsMembers: true })
    const later = await addAlice()
    await send('five')
    expect(await read(later)).toEqual(['five'])
  })

  test('announces each message once', async () => {
    await lead.create({ name: 'parser' })
    const other = open('s2')
    await other.create({ name: 'parser', as: 'bob' })
    let count = 0
    lead.onMail(() => count++)
    const alice = await addAlice()
    await lead.send({ id: 'm1', to: 'team-lead', text: 'from alice' }, 'alice')
    expect(count).toBe(1)
    const waiting = alice.waitForMail(new AbortController().signal)
    await other.send({ id: 'm2', to: 'alice', text: 'for alice' }, undefined)
    // Ends with a poll, which finds the message to the lead again.
    await waiting
    expect(count).toBe(1)
    await other.send({ id: 'm3', to: 'team-lead', text: 'from bob' }, undefined)
    await expect.poll(() => count).toBe(2)
  })

  test('that cannot be read now is read at a later poll', async () => {
    const alice = await addAlice()
    const file = join(folder, 'team-s1', 'alice.mail.jsonl')
    const signal = new AbortController().signal
    renameSync(file, `${file}.away`)
    symlinkSync(`${file}.away`, file)
    const waiting = alice.waitForMail(signal)
    const mail = { id: 'm1', team: 't', from: 'bob', to: 'alice', kind: 'message', text: 'one', at: 0 } as const
    await new Mailbox(`${file}.away`, false).append(mail, 10)
    expect(alice.hasMail).toBe(false)
    rmSync(file)
    renameSync(`${file}.away`, file)
    await waiting
    expect(await read(alice)).toEqual(['one'])
  })

  test('returns a long queue in parts', async () => {
    const alice = await addAlice()
    for (let count = 0; count < 60; count++) await send(String(count))
    expect([(await read(alice)).length, (await read(alice)).length]).toEqual([50, 10])
  })
})

describe('a receiver that becomes idle', () => {
  test('misses no message that arrives at that moment, in 1,000 attempts', async () => {
    const alice = await addAlice()
    const sender = open('s2')
    await sender.create({ name: 'team-s1', as: 'bob' })
    const signal = new AbortController().signal
    const sendMessage = (teams: TeamsPort, id: string) => teams.send({ id, to: 'alice', text: id }, undefined)
    for (let attempt = 0; attempt < 1_000; attempt++) {
      const id = String(attempt)
      // The message arrives before, during or after the step from the last look into the mailbox to waiting.
      const sendings: Promise<unknown>[] = []
      // Messages of other processes are found by polling, which takes longer.
      const isFromOther = attempt % 50 === 49
      const sendAt = (moment: number) => {
        if (attempt % 3 === moment) sendings.push(sendMessage(isFromOther ? sender : lead, id))
      }
      sendAt(0)
      const early = await read(alice)
      sendAt(1)
      const waiting = early.length === 0 ? alice.waitForMail(signal) : undefined
      sendAt(2)
      await waiting
      await Promise.all(sendings)
      expect([...early, ...(await read(alice))]).toEqual([id])
    }
  })
})

describe('a team', () => {
  test('can be joined by another session under a free name', async () => {
    await lead.create({ name: 'parser', description: 'Write a parser' })
    const other = open('s2')
    await expect(other.create({ name: 'parser' })).rejects.toThrow(
      'The team "parser" exists already. Members: team-lead. To join it, call TeamCreate with the name that you want to have in it',
    )
    await expect(other.create({ name: 'parser', as: 'Team-Lead' })).rejects.toThrow('is reserved')
    expect((await other.create({ name: 'Parser', as: 'bob' })).members.map(({ name, role }) => [name, role])).toEqual([
      ['team-lead', 'lead'],
      ['bob', 'teammate'],
    ])
    await expect(open('s3').create({ name: 'parser', as: 'BOB' })).rejects.toThrow('has a member "BOB" already')
    await expect(lead.create({ name: 'second' })).rejects.toThrow('This session belongs to the team "parser".')
  })

  test('is found again by its session, with its messages', async () => {
    await lead.create({ name: 'parser' })
    const other = open('s2')
    await other.create({ name: 'parser', as: 'bob' })
    await lead.close()
    expect((await other.current())?.members[0]).toMatchObject({ name: 'team-lead', status: 'away' })
    const { recipients } = await other.send({ id: 'm1', to: 'team-lead', text: 'Hello' }, undefined)
    expect(recipients).toEqual([{ name: 'team-lead', status: 'away', unreceivedIds: [] }])
    expect((await other.send({ id: 'm2', to: 'team-lead', text: 'Again' }, undefined)).recipients).toEqual([
      { name: 'team-lead', status: 'away', unreceivedIds: ['m1'] },
    ])

    const inbox = await open('s1').open(undefined)

    expect(inbox?.receive().map(({ text, from }) => `${from}: ${text}`)).toEqual(['bob: Hello', 'bob: Again'])
    expect((await other.current())?.members[0]).toMatchObject({ name: 'team-lead', status: 'working' })
  })

  test('whose processes have ended does not block its name', async () => {
    await lead.create({ name: 'parser' })
    await lead.close()
    expect((await open('s2').create({ name: 'parser' })).name).toBe('parser-2')
  })

  test('that is deleted ends its members in other sessions, too', async () => {
    await lead.create({ name: 'parser' })
    const other = open('s2')
    await other.create({ name: 'parser', as: 'bob' })
    const bob = await other.open(undefined)
    await expect(lead.delete({ stopsMembers: false })).rejects.toThrow('These teammates are still working: bob.')
    await lead.delete({ stopsMembers: true })
    await expect.poll(() => bob?.ended.aborted).toBe(true)
    expect(readdirSync(folder)).toEqual([])
    await expect(other.send({ id: 'm', to: 'team-lead', text: 'x' }, undefined)).rejects.toThrow(
      'This session has no team.',
    )
  })

  test('is only left by a session that joined it', async () => {
    await lead.create({ name: 'parser' })
    const other = open('s2')
    await other.create({ name: 'parser', as: 'bob' })
    expect(await other.delete({ stopsMembers: false })).toMatchObject({ hasLeft: true })
    expect((await lead.current())?.members.map(({ name }) => name)).toEqual(['team-lead'])
    expect(existsSync(join(folder, 'parser', 'bob.mail.jsonl'))).toBe(false)
    await expect(send('x', 'bob')).rejects.toThrow('You are the only member of the team.')
  })

  test('with a damaged file is not replaced', async () => {
    await lead.create({ name: 'parser' })
    writeFileSync(join(folder, 'parser', 'team.json'), '{')
    await expect(open('s2').create({ name: 'parser', as: 'bob' })).rejects.toThrow('cannot be read. Move it away.')
  })
})
