export const prompt = `Deletes the team that you lead, with its mailboxes. Idle teammates end. If you have joined the team of another session, you leave it instead.

Refused while teammates work: wait until they have finished, or set stop_members to stop them. What they have changed in files stays.`
