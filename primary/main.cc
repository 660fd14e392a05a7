#include "common/node/program.h"
#include "primary/app.h"

int main(int argc, char** argv) {
  return feeds::node::run_program<feeds::primary::App>(feeds::config::Role::kPrimary, argc, argv);
}
