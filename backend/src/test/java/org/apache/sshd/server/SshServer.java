package org.apache.sshd.server;

/** Stands for a library that comes with a later issue, so that the rule about its home can be tried now. */
public interface SshServer {}
