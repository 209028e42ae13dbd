/** The key of the user. file: for ssh, null for its default; publicKey: in OpenSSH's format; of publicKey and pairName, one is empty. */
export interface SshKey {
  file: string | null;
  publicKey: string;
  pairName: string;
}

/** The ssh host key of new hosts, in OpenSSH's formats. publicKey: type and data, without a comment. */
export interface HostKey {
  privateKey: string;
  publicKey: string;
}

/** How ssh reaches the hosts of a stack. config: the file for `ssh -F`; names: of the hosts in the file. */
export interface Access {
  config: string;
  names: Record<'client' | 'server' | 'broker', string>;
}

/** A stack of CloudFormation. status: such as CREATE_COMPLETE. */
export interface Stack {
  name: string;
  status: string;
  parameters: Record<string, string>;
  outputs: Record<string, string>;
  tags: Record<string, string>;
}

/** The hosts that a stack may have left. endsAt: when they terminate themselves; isDeleting: CloudFormation has accepted the deletion. */
export interface RemainingStack {
  type: string;
  hosts: number;
  endsAt: Date | null;
  isDeleting?: boolean;
}

/** The running hosts of one instance type. stack: its name. */
export interface Hosts {
  type: string;
  stack: string;
  access: Access;
  endsAt: Date | null;
}

/** The owner of a stack. tag: the identity; name: a readable part of the names of stacks, different for each identity. */
export interface Owner {
  tag: string;
  name: string;
}

/** The user's settings for the hosts. zone: empty for the first zone of the region; sshFrom: a CIDR block; hostKey: of new hosts. */
export interface HostRequest {
  zone: string;
  sshFrom: string;
  ttlMs: number;
  credits: 'standard' | 'unlimited';
  brokerWithServer: boolean;
  key: SshKey;
  hostKey: HostKey;
  sshConfig: string | null;
}
