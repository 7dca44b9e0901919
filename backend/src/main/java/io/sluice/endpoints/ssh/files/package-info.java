/**
 * Owns sftp and scp in tasks: what a client asks for is done by a shell inside of the task, with the task's own rights and in its own root.
 * Never touches a file of the gateway's machine itself.
 */
@NullMarked
package io.sluice.endpoints.ssh.files;

import org.jspecify.annotations.NullMarked;
