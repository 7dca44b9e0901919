/**
 * Owns people: users, groups, signing in, sessions, application tokens and SSH keys. It never decides what a feature of another room
 * allows whom.
 */
@NullMarked
package io.sluice.identity;

import org.jspecify.annotations.NullMarked;
