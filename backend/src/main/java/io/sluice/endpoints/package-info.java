/**
 * Owns who may reach which port inside a task, the programs that answer there, and the road to them. Never runs a task, and
 * never trusts what an app says.
 */
@NullMarked
package io.sluice.endpoints;

import org.jspecify.annotations.NullMarked;
