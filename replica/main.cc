#include "common/node/program.h"
#include "replica/app.h"

int main(int argc, char** argv) {
  return feeds::node::run_program<feeds::replica::App>(feeds::config::Role::kReplica, argc, argv);
}
